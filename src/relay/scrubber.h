// Covers the real key where an answer repeats it: same length, so that no other byte moves. Bytes are held back only
// while they are the beginning of the key.
#pragma once

#include <span>
#include <string>

#include "base/secret.h"

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

 private:
  bool active() const;

  const Secret& key_;
  std::string held_;
  std::string joined_;
};

}  // namespace sanduk
