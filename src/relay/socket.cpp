#include "relay/socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "base/portable.h"

#ifndef POLLRDHUP
#define POLLRDHUP 0
#endif

namespace sanduk {
namespace {

int milliseconds_until(Clock::time_point deadline) {
  if (deadline == Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long>(left, 0, INT_MAX));
}

Ready wait_for(int fd, short events, Clock::time_point deadline, const StopEvent& stop, int peer) {
  for (;;) {
    // poll() passes over a negative descriptor.
    std::array<pollfd, 3> fds = {pollfd{fd, events, 0}, pollfd{stop.fd(), POLLIN, 0}, pollfd{peer, POLLRDHUP, 0}};
    const int ready = poll(fds.data(), fds.size(), milliseconds_until(deadline));
    if (ready < 0 && errno != EINTR) return Ready::stopped;
    if (ready < 0) continue;
    if (fds[1].revents != 0) return Ready::stopped;
    if (fds[0].revents != 0) return Ready::yes;
    if (fds[2].revents != 0) return Ready::peer_gone;
    if (ready == 0 && Clock::now() >= deadline) return Ready::timeout;
  }
}

}  // namespace

Ready wait_readable(int fd, Clock::time_point deadline, const StopEvent& stop, int peer) {
  return wait_for(fd, POLLIN, deadline, stop, peer);
}

Ready wait_writable(int fd, Clock::time_point deadline, const StopEvent& stop, int peer) {
  return wait_for(fd, POLLOUT, deadline, stop, peer);
}

Ready wait_until(Clock::time_point deadline, const StopEvent& stop, int peer) {
  return wait_for(-1, 0, deadline, stop, peer);
}

bool peer_is_gone(int fd) {
  pollfd one{fd, POLLRDHUP, 0};
  return poll(&one, 1, 0) > 0;
}

bool is_readable_now(int fd) {
  pollfd one{fd, POLLIN, 0};
  return poll(&one, 1, 0) != 0;
}

void make_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

void set_no_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void reset_on_close(int fd) {
  const linger now{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

bool write_pieces(int fd, std::initializer_list<std::string_view> pieces, std::chrono::milliseconds idle,
                  const StopEvent& stop) {
  std::array<iovec, 8> vectors{};
  std::size_t count = 0;
  for (const std::string_view piece : pieces) {
    if (!piece.empty()) vectors.at(count++) = {const_cast<char*>(piece.data()), piece.size()};
  }
  std::size_t first = 0;
  while (first < count) {
    msghdr message{};
    message.msg_iov = vectors.data() + first;
    message.msg_iovlen = count - first;
    ssize_t sent = sendmsg(fd, &message, without_signal | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
      if (wait_writable(fd, Clock::now() + idle, stop) != Ready::yes) return false;
      continue;
    }
    for (; first < count && static_cast<std::size_t>(sent) >= vectors.at(first).iov_len; ++first) {
      sent -= static_cast<ssize_t>(vectors.at(first).iov_len);
    }
    if (first < count) {
      vectors.at(first).iov_base = static_cast<char*>(vectors.at(first).iov_base) + sent;
      vectors.at(first).iov_len -= static_cast<std::size_t>(sent);
    }
  }
  return true;
}

}  // namespace sanduk
