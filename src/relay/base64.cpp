#include "relay/base64.h"

#include <cstdint>

namespace sanduk {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    for (std::size_t j = 0; j < 3; ++j) {
      group = (group << 8) | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) text += j <= count ? alphabet[(group >> (18 - 6 * j)) & 63] : '=';
  }
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t group = 0;
    std::size_t count = 4;
    for (std::size_t j = 0; j < 4; ++j) {
      const char c = text[i + j];
      if (c == '=') {
        // Padding: only at the very end, one or two.
        if (i + 4 != text.size() || j < 2 || (j == 2 && text[i + 3] != '=')) return std::nullopt;
        if (count == 4) count = j;
        group <<= 6;
        continue;
      }
      const std::size_t value = alphabet.find(c);
      if (value == std::string_view::npos || count != 4) return std::nullopt;
      group = (group << 6) | static_cast<std::uint32_t>(value);
    }
    for (std::size_t j = 0; j + 1 < count; ++j) bytes += static_cast<char>((group >> (16 - 8 * j)) & 255);
  }
  return bytes;
}

}  // namespace sanduk
