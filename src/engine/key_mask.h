// Hides the real key in a stream of what an agent prints: in mode `open` it has the key, and could print it.
#pragma once

#include <string>
#include <string_view>

#include "base/secret.h"

namespace sanduk {

class KeyMask {
 public:
  explicit KeyMask(const Secret& key) : key_(key) {}

  // `bytes` and what was held back, with asterisks for the key. What may be the beginning of one is held back.
  std::string pass(std::string_view bytes);
  // What was held back, at the end of the stream.
  std::string finish();

 private:
  const Secret& key_;
  std::string held_;
};

}  // namespace sanduk
