#include "box/pump.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "box/report.h"

namespace sanduk::box {
namespace {

constexpr std::size_t block_size = std::size_t{64} << 10;
constexpr int most_streams = 4096;
constexpr int linger_milliseconds = 5000;
constexpr int retry_milliseconds = 2;
char block[block_size];

long long now_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

bool would_block(int code) { return code == EAGAIN || code == EINTR; }

}  // namespace

// One way of a stream. `open`: its source may still send. `discard`: its sink is gone, what comes is thrown away.
struct Pump::Direction {
  Endpoint* from = nullptr;
  Endpoint* to = nullptr;
  char* pending = nullptr;
  std::size_t at = 0;
  std::size_t size = 0;
  bool open = true;
  bool discard = false;
  bool done = false;  // the end was handed on
};

struct Pump::Stream {
  Endpoint client;
  Endpoint relay;
  Direction up;    // client to relay
  Direction down;  // relay to client
  bool waiting = false;
  bool dead = false;
  long long linger_until = 0;
  Stream* next = nullptr;
  Stream* previous = nullptr;
};

int listen_on_loopback(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<in_port_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && listen(fd, 1024) == 0) return fd;
  const int code = errno;
  close(fd);
  errno = code;
  return -1;
}

Pump::Pump(int epoll, int listener, const char* socket_path)
    : epoll_(epoll), listener_(listener), socket_path_(socket_path) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const rlim_t fits = files.rlim_cur > 64 ? (files.rlim_cur - 32) / 2 : 16;
  most_ = fits < most_streams ? static_cast<int>(fits) : most_streams;
  watch_listener();
}

// At the bound nothing more is accepted: the kernel's queue holds the rest until a stream ends.
void Pump::watch_listener() {
  const bool wanted = listener_ >= 0 && count_ < most_;
  if (wanted == listening_) return;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = this;
  epoll_ctl(epoll_, wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, listener_, &event);
  listening_ = wanted;
}

void Pump::accept_all() {
  while (count_ < most_) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client >= 0) {
      begin(client);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
      most_ = count_ > 1 ? count_ : 1;  // as many as there are is what this box can hold
      break;
    } else if (errno != ECONNABORTED && errno != EINTR) {
      break;
    }
  }
  watch_listener();
}

void Pump::begin(int client) {
  auto* stream = static_cast<Stream*>(calloc(1, sizeof(Stream)));
  if (stream == nullptr) {
    close(client);
    return;
  }
  const int yes = 1;
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  stream->client = {stream, client, false, 0};
  stream->relay = {stream, -1, false, 0};
  stream->up = {&stream->client, &stream->relay, nullptr, 0, 0, true, false, false};
  stream->down = {&stream->relay, &stream->client, nullptr, 0, 0, true, false, false};
  stream->next = streams_;
  if (streams_ != nullptr) streams_->previous = stream;
  streams_ = stream;
  ++count_;
  if (connect_relay(stream)) settle(stream);
}

// False when the stream waits for a place in the relay's backlog, or is over.
bool Pump::connect_relay(Stream* stream) {
  stream->relay.fd = sanduk::box::connect_relay(socket_path_, SOCK_NONBLOCK);
  if (stream->relay.fd >= 0) {
    if (stream->waiting) --waiting_;
    stream->waiting = false;
    return true;
  }
  if (errno == EAGAIN) {
    if (!stream->waiting) ++waiting_;
    stream->waiting = true;
  } else {
    drop(stream, true);
  }
  return false;
}

void Pump::handle(const epoll_event& event) {
  if (event.data.ptr == this) return accept_all();
  auto* endpoint = static_cast<Endpoint*>(event.data.ptr);
  Stream* stream = endpoint->stream;
  if (stream->dead) return;
  if (endpoint == &stream->client) {
    if ((event.events & EPOLLERR) != 0) return drop(stream, true);
    // It has the whole answer and has closed: what it sent besides matters to nobody, and the event would not end.
    if ((event.events & EPOLLHUP) != 0 && stream->down.done) return drop(stream, false);
  }
  Direction& outward = endpoint == &stream->client ? stream->up : stream->down;
  Direction& inward = endpoint == &stream->client ? stream->down : stream->up;
  if ((event.events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0) flush(stream, inward);
  if (!stream->dead && (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) carry(stream, outward);
  if (!stream->dead) settle(stream);
}

// Reads one block and hands on what the other side takes at once.
void Pump::carry(Stream* stream, Direction& direction) {
  if (!direction.open || direction.size > 0) return;
  const ssize_t got = recv(direction.from->fd, block, sizeof block, 0);
  if (got < 0 && would_block(errno)) return;
  if (got < 0 && direction.from == &stream->client) return drop(stream, true);
  if (got <= 0) {
    // The relay's reset counts as its end: it closed before it had read all, after its answer.
    direction.open = false;
    return finish_if_empty(stream, direction);
  }
  if (direction.discard) return;
  std::size_t size = static_cast<std::size_t>(got);
  std::size_t at = 0;
  while (at < size) {
    const ssize_t sent = send(direction.to->fd, block + at, size - at, MSG_NOSIGNAL);
    if (sent > 0) {
      at += static_cast<std::size_t>(sent);
    } else if (sent < 0 && errno != EINTR) {
      break;
    }
  }
  if (at == size) return;
  if (!would_block(errno)) {
    if (direction.to == &stream->client) return drop(stream, true);
    direction.discard = true;
    return;
  }
  direction.pending = static_cast<char*>(malloc(size - at));
  if (direction.pending == nullptr) return drop(stream, true);
  memcpy(direction.pending, block + at, size - at);
  direction.at = 0;
  direction.size = size - at;
}

void Pump::flush(Stream* stream, Direction& direction) {
  while (direction.size > 0) {
    const ssize_t sent = send(direction.to->fd, direction.pending + direction.at, direction.size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0 && direction.to == &stream->client) return drop(stream, true);
    if (sent < 0) {
      // The relay is gone while the client still sends. Its answer may be on the way to the client all the same.
      direction.discard = true;
      direction.size = 0;
      break;
    }
    direction.at += static_cast<std::size_t>(sent);
    direction.size -= static_cast<std::size_t>(sent);
  }
  free(direction.pending);
  direction.pending = nullptr;
  finish_if_empty(stream, direction);
}

// Hands on the end of a direction once its bytes are through.
void Pump::finish_if_empty(Stream* stream, Direction& direction) {
  if (direction.open || direction.size > 0 || direction.done) return;
  direction.done = true;
  shutdown(direction.to->fd, SHUT_WR);
  if (&direction == &stream->down && stream->up.open) {
    // Closing now would reset the connection under the client's unread answer. It gets time to see the end.
    stream->linger_until = now_milliseconds() + linger_milliseconds;
    ++lingering_;
  }
  if (stream->up.done && stream->down.done) drop(stream, false);
}

void Pump::settle(Stream* stream) {
  Direction& up = stream->up;
  Direction& down = stream->down;
  watch(stream->client, (up.open && up.size == 0 ? EPOLLIN : 0U) | (down.size > 0 ? EPOLLOUT : 0U), true);
  watch(stream->relay, (down.open && down.size == 0 ? EPOLLIN : 0U) | (up.size > 0 ? EPOLLOUT : 0U), false);
}

// A unix socket whose peer is gone reports that for ever: it is watched only while we want something of it. A client is
// always watched, since its reset ends the stream.
void Pump::watch(Endpoint& endpoint, unsigned interest, bool keep_for_errors) {
  const bool wanted = interest != 0 || keep_for_errors;
  if (wanted == endpoint.registered && (!wanted || interest == endpoint.interest)) return;
  epoll_event event{};
  event.events = interest;
  event.data.ptr = &endpoint;
  const int change = !wanted ? EPOLL_CTL_DEL : endpoint.registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  epoll_ctl(epoll_, change, endpoint.fd, &event);
  endpoint.registered = wanted;
  endpoint.interest = interest;
}

// `abort` resets the client, so that it cannot take a cut answer for a whole one.
void Pump::drop(Stream* stream, bool abort) {
  if (stream->dead) return;
  stream->dead = true;
  if (stream->waiting) --waiting_;
  if (stream->linger_until != 0) --lingering_;
  if (abort) {
    const linger at_once = {1, 0};
    setsockopt(stream->client.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  close(stream->client.fd);
  if (stream->relay.fd >= 0) close(stream->relay.fd);
  free(stream->up.pending);
  free(stream->down.pending);
  if (stream->previous != nullptr) stream->previous->next = stream->next;
  if (stream->next != nullptr) stream->next->previous = stream->previous;
  if (streams_ == stream) streams_ = stream->next;
  stream->next = dead_;
  dead_ = stream;
  --count_;
}

void Pump::retry_waiting() {
  Stream* next = nullptr;
  for (Stream* stream = streams_; stream != nullptr && waiting_ > 0; stream = next) {
    next = stream->next;
    if (!stream->waiting) continue;
    if (connect_relay(stream)) settle(stream);
    if (!stream->dead && stream->waiting) return;  // the backlog is full again
  }
}

void Pump::end_lingering() {
  const long long now = now_milliseconds();
  Stream* next = nullptr;
  for (Stream* stream = streams_; stream != nullptr && lingering_ > 0; stream = next) {
    next = stream->next;
    if (stream->linger_until != 0 && now >= stream->linger_until) drop(stream, false);
  }
}

void Pump::finish_batch() {
  if (waiting_ > 0) retry_waiting();
  if (lingering_ > 0) end_lingering();
  while (dead_ != nullptr) {
    Stream* stream = dead_;
    dead_ = stream->next;
    free(stream);
  }
  watch_listener();
}

int Pump::patience() const {
  if (waiting_ > 0) return retry_milliseconds;
  return lingering_ > 0 ? 500 : -1;
}

}  // namespace sanduk::box
