#include "engine/stop_signals.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/portable.h"

namespace sanduk {
namespace {

// A signal handler has no other way to its object.
volatile std::sig_atomic_t handler_fd = -1;

void tell(int signal) {
  const int error = errno;
  const auto byte = static_cast<unsigned char>(signal);
  // The pipe does not block: when 64 KiB of signals wait, one more says nothing new.
  [[maybe_unused]] const ssize_t written = write(static_cast<int>(handler_fd), &byte, 1);
  errno = error;
}

}  // namespace

StopSignals::StopSignals() {
  std::array<int, 2> ends{};
  if (!make_pipe(ends, true)) throw std::system_error(errno, std::generic_category(), "pipe");
  read_ = FileDescriptor(ends[0]);
  write_ = FileDescriptor(ends[1]);
  handler_fd = ends[1];
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    sigaction(signals_[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN && (before_[i].sa_flags & SA_SIGINFO) == 0) continue;
    struct sigaction action {};
    sigfillset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    action.sa_handler = signals_[i] == SIGPIPE ? SIG_IGN : &tell;
    sigaction(signals_[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < signals_.size(); ++i) sigaction(signals_[i], &before_[i], nullptr);
  handler_fd = -1;
}

int take_stop_signal(int stop_fd) {
  if (stop_fd < 0) return 0;
  pollfd fds{stop_fd, POLLIN, 0};
  if (poll(&fds, 1, 0) <= 0 || (fds.revents & POLLIN) == 0) return 0;
  unsigned char byte = 0;
  return read(stop_fd, &byte, 1) == 1 ? byte : 0;
}

}  // namespace sanduk
