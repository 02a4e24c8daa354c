#include "relay/sse_reader.h"

namespace sanduk {
namespace {

constexpr std::string_view data_field = "data";
constexpr std::string_view line_ends = "\r\n";

}  // namespace

void SseReader::end_line() {
  const bool named_only = state_ == State::name && matched_ == data_field.size();  // "data" without a colon
  if (named_only) has_data_ = true;
  if (line_is_empty_) {
    if (has_data_) on_end_();
    has_data_ = false;
  }
  state_ = State::line_begin;
  matched_ = 0;
  line_is_empty_ = true;
}

void SseReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const char c = bytes.front();
    if (after_cr_ && c == '\n') {
      after_cr_ = false;
      bytes.remove_prefix(1);
      continue;
    }
    after_cr_ = false;
    if (c == '\r' || c == '\n') {
      after_cr_ = c == '\r';
      end_line();
      bytes.remove_prefix(1);
      continue;
    }
    line_is_empty_ = false;
    switch (state_) {
      case State::line_begin:
        state_ = State::name;
        // A byte order mark may stand before the first field.
        if (static_cast<unsigned char>(c) == 0xef || static_cast<unsigned char>(c) == 0xbb ||
            static_cast<unsigned char>(c) == 0xbf) {
          state_ = State::line_begin;
          bytes.remove_prefix(1);
          continue;
        }
        [[fallthrough]];
      case State::name:
        if (c == ':' && matched_ == data_field.size()) {
          state_ = State::value_begin;
          if (has_data_) on_data_("\n");
          has_data_ = true;
        } else if (matched_ < data_field.size() && c == data_field[matched_]) {
          ++matched_;
        } else {
          state_ = State::ignored;
        }
        bytes.remove_prefix(1);
        break;
      case State::value_begin:
        state_ = State::value;
        if (c == ' ') bytes.remove_prefix(1);
        break;
      case State::value:
      case State::ignored: {
        const std::size_t end = bytes.find_first_of(line_ends);
        if (state_ == State::value && end != 0) on_data_(bytes.substr(0, end));
        bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end);
        break;
      }
    }
  }
}

}  // namespace sanduk
