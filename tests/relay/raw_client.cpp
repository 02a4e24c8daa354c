#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "relay/harness.h"

namespace sanduk::test {
namespace {

using Clock = std::chrono::steady_clock;

std::optional<std::string> value_of(const std::string& head, std::string_view name) {
  for (const std::string& line : split(head, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || !equal_ignoring_case(std::string_view(line).substr(0, colon), name)) continue;
    return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return std::nullopt;
}

}  // namespace

std::string Reply::header(std::string_view name) const { return value_of(head, name).value_or(""); }
bool Reply::has_header(std::string_view name) const { return value_of(head, name).has_value(); }

RawClient RawClient::to_port(int port, const std::string& address) {
  const bool v6 = address.find(':') != std::string::npos;
  const int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in in{};
  sockaddr_in6 in6{};
  in.sin_family = AF_INET;
  in6.sin6_family = AF_INET6;
  in.sin_port = in6.sin6_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(v6 ? AF_INET6 : AF_INET, address.c_str(), v6 ? static_cast<void*>(&in6.sin6_addr) : &in.sin_addr);
  const int done = v6 ? ::connect(fd, reinterpret_cast<sockaddr*>(&in6), sizeof in6)
                      : ::connect(fd, reinterpret_cast<sockaddr*>(&in), sizeof in);
  if (done != 0) throw std::runtime_error(std::string("cannot connect to the relay: ") + std::strerror(errno));
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return RawClient(fd);
}

RawClient RawClient::to_path(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error(std::string("cannot connect to the relay: ") + std::strerror(errno));
  }
  return RawClient(fd);
}

RawClient::RawClient(RawClient&& other) noexcept : fd_(std::exchange(other.fd_, -1)), text_(std::move(other.text_)) {}

RawClient::~RawClient() { close(); }

void RawClient::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool RawClient::more(Clock::time_point deadline, bool* reset) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  pollfd one{fd_, POLLIN, 0};
  if (left <= 0 || poll(&one, 1, static_cast<int>(left)) <= 0) return false;
  std::array<char, 65536> piece{};
  const ssize_t got = recv(fd_, piece.data(), piece.size(), 0);
  if (got <= 0) {
    *reset = got < 0;
    close();
    return false;
  }
  text_.append(piece.data(), static_cast<std::size_t>(got));
  return true;
}

std::string RawClient::read_some(std::size_t size, std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  bool reset = false;
  while (text_.size() < size && fd_ >= 0 && more(deadline, &reset)) {
  }
  const std::string result = text_.substr(0, size);
  text_.erase(0, result.size());
  return result;
}

bool RawClient::wait_until_closed(std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  bool reset = false;
  while (fd_ >= 0 && more(deadline, &reset)) {
  }
  return fd_ < 0;
}

Reply RawClient::read_reply(bool head_only, std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  Reply reply;
  const auto need = [&](std::size_t size) {
    while (text_.size() < size && fd_ >= 0 && more(deadline, &reply.reset)) {
    }
    return text_.size() >= size;
  };
  const auto line = [&]() -> std::optional<std::string> {
    for (;;) {
      const std::size_t end = text_.find("\r\n");
      if (end != std::string::npos) {
        const std::string result = text_.substr(0, end);
        text_.erase(0, end + 2);
        return result;
      }
      if (!need(text_.size() + 1)) return std::nullopt;
    }
  };
  const auto finish = [&](bool complete) {
    reply.complete = complete;
    reply.closed = fd_ < 0;
    return reply;
  };
  do {
    reply.head.clear();
    for (;;) {
      const std::optional<std::string> one = line();
      if (!one) return finish(false);
      if (one->empty()) break;
      reply.head += *one + "\r\n";
    }
    reply.status = std::atoi(reply.head.substr(9, 3).c_str());
  } while (reply.status < 200);
  if (head_only || reply.status == 204 || reply.status == 304) return finish(true);
  if (reply.has_header("content-length")) {
    const std::size_t size = std::strtoull(reply.header("content-length").c_str(), nullptr, 10);
    const bool whole = need(size);
    reply.body = text_.substr(0, size);
    text_.erase(0, reply.body.size());
    return finish(whole);
  }
  if (!equal_ignoring_case(reply.header("transfer-encoding"), "chunked")) {
    while (need(text_.size() + 1)) {
    }
    reply.body = std::exchange(text_, "");
    return finish(fd_ < 0 && !reply.reset);
  }
  for (;;) {
    const std::optional<std::string> head = line();
    if (!head) return finish(false);
    const std::size_t size = std::strtoull(head->c_str(), nullptr, 16);
    if (!need(size + 2)) {
      reply.body += text_;
      return finish(false);
    }
    reply.body += text_.substr(0, size);
    text_.erase(0, size + 2);
    if (size == 0) return finish(true);
  }
}

}  // namespace sanduk::test
