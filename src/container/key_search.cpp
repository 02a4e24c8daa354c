#include "container/key_search.h"

#include <algorithm>

namespace sanduk {
namespace {

constexpr std::size_t piece_size = 6;
constexpr std::size_t least_word = 20;

bool is_word(std::string_view piece) {
  return std::all_of(piece.begin(), piece.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.'; });
}

// "sk-ant-api03-" and its like: "sk-" and up to two short words of lower-case letters and digits, each with its dash.
std::size_t vendor_prefix(std::string_view key) {
  if (!key.starts_with("sk-")) return 0;
  std::size_t at = 3;
  for (int words = 0; words < 2; ++words) {
    const std::size_t dash = key.find('-', at);
    if (dash == std::string_view::npos || dash - at > 5) break;
    const std::string_view word = key.substr(at, dash - at);
    if (!std::all_of(word.begin(), word.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }))
      break;
    at = dash + 1;
  }
  return at;
}

}  // namespace

bool holds_piece_of(std::string_view text, const Secret& secret) {
  const std::string_view key = secret.reveal();
  if (key.empty()) return false;
  if (key.size() < piece_size || (key.size() < least_word && is_word(key))) {
    return text == key || (text.ends_with(key) && text.find('=') + 1 == text.size() - key.size());
  }
  if (text.find(key) != std::string_view::npos) return true;
  for (std::size_t at = vendor_prefix(key); at + piece_size <= key.size(); ++at) {
    const std::string_view piece = key.substr(at, piece_size);
    if (!is_word(piece) && text.find(piece) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace sanduk
