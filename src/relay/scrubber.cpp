#include "relay/scrubber.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace sanduk {
namespace {

// A shorter key could be any word of an answer.
constexpr std::size_t shortest = 8;

void cover_in(std::span<char> bytes, std::string_view key) {
  const std::string_view text(bytes.data(), bytes.size());
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + key.size())) {
    std::memset(bytes.data() + at, '*', key.size());
  }
}

// How many bytes at the end are the beginning of the key.
std::size_t beginning_at_end(std::span<char> bytes, std::string_view key) {
  const std::string_view text(bytes.data(), bytes.size());
  for (std::size_t size = std::min(text.size(), key.size() - 1); size > 0; --size) {
    if (text.ends_with(key.substr(0, size))) return size;
  }
  return 0;
}

}  // namespace

Scrubber::~Scrubber() {
  std::fill(held_.begin(), held_.end(), '\0');
  std::fill(joined_.begin(), joined_.end(), '\0');
}

bool Scrubber::looks_for(const Secret& key) { return key.reveal().size() >= shortest; }

std::span<char> Scrubber::pass(std::span<char> bytes) {
  if (!looks_for(key_)) return bytes;
  if (!held_.empty()) {
    joined_ = held_;
    joined_.append(bytes.data(), bytes.size());
    held_.clear();
    bytes = {joined_.data(), joined_.size()};
  }
  const std::string_view key = key_.reveal();
  cover_in(bytes, key);
  const std::size_t keep = beginning_at_end(bytes, key);
  held_.assign(bytes.data() + bytes.size() - keep, keep);
  return bytes.first(bytes.size() - keep);
}

std::span<char> Scrubber::rest() {
  joined_ = held_;
  held_.clear();
  return {joined_.data(), joined_.size()};
}

void Scrubber::cover(std::string& text, const Secret& key) {
  if (looks_for(key)) cover_in({text.data(), text.size()}, key.reveal());
}

CompressedSearch::~CompressedSearch() { std::fill(seen_.begin(), seen_.end(), '\0'); }

bool CompressedSearch::is_clean(std::string_view bytes) {
  bool found = false;
  const std::string_view key = key_.reveal();
  if (!readable_) return true;
  readable_ = inflater_.feed(bytes, [&](std::string_view plain) {
    seen_.append(plain);
    found = found || seen_.find(key) != std::string::npos;
    seen_.erase(0, seen_.size() - std::min(seen_.size(), key.size() - 1));
  });
  return !found;
}

}  // namespace sanduk
