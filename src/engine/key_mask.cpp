#include "engine/key_mask.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace sanduk {
namespace {

constexpr std::size_t least_key = 8;  // a shorter word is no secret, and stands in ordinary text

// How many bytes at the end of `text` may be the beginning of `key`.
std::size_t begun(std::string_view text, std::string_view key) {
  for (std::size_t length = std::min(text.size(), key.size() - 1); length > 0; --length) {
    if (text.ends_with(key.substr(0, length))) return length;
  }
  return 0;
}

}  // namespace

std::string KeyMask::pass(std::string_view bytes) {
  const std::string_view key = key_.reveal();
  if (key.size() < least_key) return std::string(bytes);
  std::string text = std::exchange(held_, "");
  text += bytes;
  if (text.find(key) != std::string::npos) text = replace_all(text, key, std::string(key.size(), '*'));
  const std::size_t kept = begun(text, key);
  held_ = text.substr(text.size() - kept);
  text.resize(text.size() - kept);
  return text;
}

std::string KeyMask::finish() { return std::exchange(held_, ""); }

}  // namespace sanduk
