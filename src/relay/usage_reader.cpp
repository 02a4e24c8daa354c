#include "relay/usage_reader.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.h"

namespace sanduk {
namespace {

constexpr std::string_view end_marker = "[DONE]";
constexpr std::array<std::string_view, 4> last_events = {"message_stop", "response.completed", "response.incomplete",
                                                         "response.failed"};

}  // namespace

UsageReader::UsageReader(const ProtocolFacts& facts, std::string_view encoding, const Limits& limits)
    : facts_(facts),
      json_([this](std::string_view path, std::string_view scalar) { found(path, scalar); }, limits.usage_key),
      sse_(
          [this](std::string_view data) {
            if (start_of_data_.size() < end_marker.size()) {
              start_of_data_ += data.substr(0, end_marker.size() - start_of_data_.size());
            }
            json_.feed(data);
          },
          [this] {
            if (start_of_data_ == end_marker) finished_ = true;
            start_of_data_.clear();
            json_.reset();
          }) {
  json_.watch("type");
  for (const UsagePlace& place : facts.usage) json_.watch(place.path);
  if (equal_ignoring_case(encoding, "gzip") || equal_ignoring_case(encoding, "x-gzip")) {
    inflater_ = std::make_unique<Inflater>(limits.inflate_bytes);
  } else {
    blind_ = !encoding.empty() && !equal_ignoring_case(encoding, "identity");
  }
}

void UsageReader::feed(std::string_view bytes) {
  if (blind_) return;
  if (!inflater_) return read_plain(bytes);
  if (!inflater_->feed(bytes, [this](std::string_view plain) { read_plain(plain); })) blind_ = true;
}

// JSON begins with a brace and no event does: a provider that forgets the content type is read all the same.
void UsageReader::read_plain(std::string_view bytes) {
  if (!is_stream_) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return;
    bytes.remove_prefix(first);
    is_stream_ = bytes[0] != '{' && bytes[0] != '[';
  }
  if (*is_stream_) {
    sse_.feed(bytes);
  } else {
    json_.feed(bytes);
  }
}

void UsageReader::found(std::string_view path, std::string_view scalar) {
  if (path == "type") {
    if (std::find(last_events.begin(), last_events.end(), scalar) != last_events.end()) finished_ = true;
    return;
  }
  const std::string text(scalar);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool is_number = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) && *end == '\0';
  if (!is_number) return;
  for (const UsagePlace& place : facts_.usage) {
    if (place.path != path) continue;
    if (place.counter != Counter::thinking) {
      take_counter(usage_, place.counter, value);
    } else if (value >= 0 && value < 9e15) {
      thinking_ = static_cast<std::int64_t>(value);
    }
  }
}

Usage UsageReader::usage() const {
  Usage usage = usage_;
  if (thinking_) usage.out = usage.out.value_or(0) + *thinking_;
  sum_up(usage, facts_);
  return usage;
}

}  // namespace sanduk
