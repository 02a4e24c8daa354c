// Covers the real key where an answer repeats it: same length, so that no other byte moves. Bytes are held back only
// while they are the beginning of the key.
#pragma once

#include <span>
#include <string>

#include "base/secret.h"
#include "relay/inflate.h"

namespace sanduk {

class Scrubber {
 public:
  explicit Scrubber(const Secret& key) : key_(key) {}
  ~Scrubber();

  // What may go out of `bytes` and of what was held back before; valid until the next call. Changes `bytes`.
  std::span<char> pass(std::span<char> bytes);
  // What is still held back, at the end of the body.
  std::span<char> rest();

  // The key covered in one whole text.
  static void cover(std::string& text, const Secret& key);

  // A key that is long enough to be told from a word of an answer.
  static bool looks_for(const Secret& key);

 private:
  const Secret& key_;
  std::string held_;
  std::string joined_;
};

// Looks for the key in a gzip answer, where it cannot be covered.
class CompressedSearch {
 public:
  CompressedSearch(const Secret& key, std::size_t most_bytes) : key_(key), inflater_(most_bytes) {}
  ~CompressedSearch();

  // False when the key came. What is no gzip holds nothing that the plain search would not see; beyond `most_bytes`
  // nothing is searched.
  bool is_clean(std::string_view bytes);

 private:
  const Secret& key_;
  Inflater inflater_;
  bool readable_ = true;
  std::string seen_;  // the end of it
};

}  // namespace sanduk
