// Server-sent events, read as they stream by: hands out the bytes of `data` fields and where events end. Keeps nothing,
// so an event may be as large as it likes.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace sanduk {

class SseReader {
 public:
  SseReader(std::function<void(std::string_view)> on_data, std::function<void()> on_end)
      : on_data_(std::move(on_data)), on_end_(std::move(on_end)) {}

  void feed(std::string_view bytes);

 private:
  enum class State { line_begin, name, value_begin, value, ignored };
  void end_line();

  std::function<void(std::string_view)> on_data_;
  std::function<void()> on_end_;
  State state_ = State::line_begin;
  std::size_t matched_ = 0;  // of the word "data"
  bool after_cr_ = false;    // a following LF belongs to the same line end
  bool has_data_ = false;    // in this event
  bool line_is_empty_ = true;
};

}  // namespace sanduk
