#include "engine/pump.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace sanduk {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds tick_every(100);
// Between the end of its streams and the end of a process lies little.
constexpr milliseconds look_for_end_every(2);
// Small enough that the deadline is looked at often, however long the sinks take over each piece.
constexpr std::size_t piece = 16384;

}  // namespace

std::size_t Pump::read_one(bool errors) {
  std::array<char, piece> buffer;
  const ssize_t got = read(errors ? child_.error_fd() : child_.output_fd(), buffer.data(), buffer.size());
  if (got > 0) {
    const auto& sink = errors ? sinks_.errors : sinks_.output;
    if (sink) sink(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    return static_cast<std::size_t>(got);
  }
  const bool later = got < 0 && (errno == EINTR || errno == EAGAIN);
  if (!later) (errors ? errors_open_ : output_open_) = false;
  return 0;
}

// What the child had written when it ended lies in the pipes. What comes after is somebody else's, who may write for
// ever.
void Pump::drain(bool errors) {
  if (!(errors ? errors_open_ : output_open_)) return;
  int left = 0;
  if (ioctl(errors ? child_.error_fd() : child_.output_fd(), FIONREAD, &left) != 0) return;
  while (left > 0) {
    const std::size_t got = read_one(errors);
    if (got == 0) return;
    left -= static_cast<int>(got);
  }
}

Pump::End Pump::run(Time deadline, int stop_fd, int wake_fd) {
  for (;;) {
    const bool silent = !output_open_ && !errors_open_;
    const Time now = Clock::now();
    const auto left = std::chrono::ceil<milliseconds>(deadline - now);
    const milliseconds wait = std::clamp(left, milliseconds(0), silent ? look_for_end_every : tick_every);
    std::array<pollfd, 4> fds = {pollfd{output_open_ ? child_.output_fd() : -1, POLLIN, 0},
                                 pollfd{errors_open_ ? child_.error_fd() : -1, POLLIN, 0}, pollfd{stop_fd, POLLIN, 0},
                                 pollfd{wake_fd, POLLIN, 0}};
    poll(fds.data(), fds.size(), static_cast<int>(wait.count()));
    if (fds[0].revents != 0) read_one(false);
    if (fds[1].revents != 0) read_one(true);
    if (child_.poll()) {
      drain(false);
      drain(true);
      return End::ended;
    }
    if (fds[2].revents != 0) return End::stop;
    if (fds[3].revents != 0) return End::wake;
    const Time after = Clock::now();
    if (after >= deadline) return End::deadline;
    if (sinks_.tick && after - last_tick_ >= tick_every) {
      last_tick_ = after;
      sinks_.tick();
    }
  }
}

}  // namespace sanduk
