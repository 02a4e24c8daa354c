// Waits for a child while its output flows, with a deadline that does not depend on the child saying anything.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string_view>

#include "base/process.h"

namespace sanduk {

class Pump {
 public:
  struct Sinks {
    std::function<void(std::string_view)> output;
    std::function<void(std::string_view)> errors;
    std::function<void()> tick;  // about ten times a second
  };
  // ended: the child has, and all that it had written was read, whoever else still holds its pipes.
  enum class End { ended, stop, wake, deadline };
  using Time = std::chrono::steady_clock::time_point;

  Pump(Child& child, Sinks sinks) : child_(child), sinks_(std::move(sinks)) {}

  // Until the first of these: the child ends, `stop_fd` or `wake_fd` is readable (-1: never), `deadline` has come.
  // May be called again; the streams go on where they were.
  End run(Time deadline, int stop_fd, int wake_fd);

 private:
  std::size_t read_one(bool errors);
  void drain(bool errors);

  Child& child_;
  Sinks sinks_;
  bool output_open_ = true;
  bool errors_open_ = true;
  Time last_tick_;
};

}  // namespace sanduk
