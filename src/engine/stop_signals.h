// Turns SIGINT, SIGTERM and SIGHUP into bytes on a pipe, so that a run ends in order instead of in the middle.
#pragma once

#include <array>
#include <csignal>

#include "base/files.h"

namespace sanduk {

// While it lives, each of the three signals writes its number, one byte, to a pipe; `fd()` is the end to read, for
// World::stop_fd. A signal that was ignored before (nohup) stays ignored. SIGPIPE is ignored. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int fd() const { return read_.get(); }

 private:
  static constexpr std::array<int, 4> signals_ = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  FileDescriptor read_;
  FileDescriptor write_;
  std::array<struct sigaction, 4> before_{};
};

// The next signal number on `stop_fd`, without waiting; 0: none came (or nobody listens).
int take_stop_signal(int stop_fd);

}  // namespace sanduk
