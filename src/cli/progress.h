// Shows a run on standard error while it goes on: one live line on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/event.h"

namespace sanduk {

// Nothing that an agent, a provider or an engine says reaches the terminal other than through printable().
class Progress {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  using Sink = std::function<void(std::string_view)>;

  // `live`: the stream is a terminal that may be redrawn; otherwise no escape byte is written. `quiet`: nothing is.
  Progress(bool live, bool quiet);
  Progress(bool live, bool quiet, Sink sink, Clock clock, std::size_t width);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Calls as JSON lines instead of words (log.format).
  void tell_calls_as_json() { json_calls_ = true; }

  void listen(const Event& event);
  // Takes the live line away, so that what comes next starts on a clean line.
  void finish();

 private:
  struct Words;

  void say(std::string_view sign, std::string_view text);  // permanent lines
  void say_pieces(std::string_view bytes);                 // of a stream that is cut anywhere
  void draw();
  std::string live_line() const;
  void write_out(const std::string& text);

  bool live_;
  bool quiet_;
  bool json_calls_ = false;
  Sink sink_;
  Clock clock_;
  std::size_t width_;

  std::string step_;  // that runs now; empty: none
  std::string detail_;
  std::chrono::steady_clock::time_point step_began_;
  std::chrono::steady_clock::time_point drawn_at_;
  bool line_is_up_ = false;
  std::int64_t calls_ = 0;
  std::int64_t tokens_ = 0;
  std::string pending_;  // the agent's standard error since its last line end
};

}  // namespace sanduk
