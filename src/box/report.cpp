#include "box/report.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace sanduk::box {
namespace {

constexpr int most_seconds = 20;
constexpr std::size_t most_answer = std::size_t{64} << 10;

bool send_all(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) bytes += sent, size -= static_cast<std::size_t>(sent);
  }
  return true;
}

// Offset of the body once the head is whole; 0 before.
std::size_t body_offset(Text& answer) {
  const char* end = strstr(answer.c_str(), "\r\n\r\n");
  return end == nullptr ? 0 : static_cast<std::size_t>(end - answer.data()) + 4;
}

bool is_whole(Text& answer) {
  const std::size_t body = body_offset(answer);
  if (body == 0) return false;
  const char* length = strcasestr(answer.c_str(), "\r\ncontent-length:");
  if (length == nullptr || static_cast<std::size_t>(length - answer.data()) > body) return false;
  return answer.size() - body >= strtoull(length + strlen("\r\ncontent-length:"), nullptr, 10);
}

// Until the answer is whole, the relay closes, or it takes too long.
int receive_answer(int fd, Text& answer) {
  const timeval patience = {most_seconds, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  char block[4096];
  while (answer.size() < most_answer && !is_whole(answer)) {
    const ssize_t got = recv(fd, block, sizeof block, 0);
    if (got == 0) break;
    if (got > 0) answer.add(block, static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) return errno == EAGAIN ? ETIMEDOUT : errno;
  }
  return 0;
}

void add_request(Text& request, const char* token, const Text& report) {
  request.add("POST /.sanduk/box-report HTTP/1.1\r\nHost: relay\r\nx-api-key: ");
  request.add(token);
  request.add("\r\nAuthorization: Bearer ");
  request.add(token);
  request.add("\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ");
  request.add_number(static_cast<long long>(report.size()));
  request.add("\r\n\r\n");
  request.add(report.data(), report.size());
}

}  // namespace

bool relay_address(const char* where, sockaddr_in& address) {
  const char* colon = strchr(where, ':');
  char host[INET_ADDRSTRLEN] = {};
  if (*where == '/' || colon == nullptr || colon - where >= static_cast<long>(sizeof host)) return false;
  memcpy(host, where, static_cast<std::size_t>(colon - where));
  address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<in_port_t>(strtol(colon + 1, nullptr, 10)));
  return inet_pton(AF_INET, host, &address.sin_addr) == 1;
}

int connect_relay(const char* path, int flags) {
  if (sockaddr_in to{}; relay_address(path, to)) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (fd < 0) return -1;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 || errno == EINPROGRESS) return fd;
    const int failed = errno;
    close(fd);
    errno = failed;
    return -1;
  }
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  const std::size_t length = strlen(path);
  if (length >= sizeof to.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(to.sun_path, path, length + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  if (fd < 0) return -1;
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) return fd;
  const int code = errno;
  close(fd);
  errno = code;
  return -1;
}

bool deliver_report(const char* socket_path, const char* token, const Text& report, Text& words) {
  const int fd = connect_relay(socket_path, 0);
  if (fd < 0) {
    words.add("no relay at ");
    words.add(socket_path);
    words.add(": ");
    words.add(outcome(errno));
    return false;
  }
  Text request(std::size_t{8} << 20);
  add_request(request, token, report);
  // A relay that refuses early may close before it has read all: its answer counts, not our broken pipe.
  const bool sent = send_all(fd, request.data(), request.size());
  Text answer;
  const int code = receive_answer(fd, answer);
  close(fd);
  if (starts_with(answer.c_str(), "HTTP/1.1 200 ") || starts_with(answer.c_str(), "HTTP/1.0 200 ")) return true;
  const std::size_t body = body_offset(answer);
  if (body != 0 && body < answer.size()) {
    words.add(answer.data() + body, answer.size() - body);
  } else if (answer.size() > 0) {
    words.add(answer.data(), strcspn(answer.c_str(), "\r\n"));
  } else {
    words.add("the relay gave no answer to the self-test report: ");
    words.add(code != 0 ? outcome(code) : sent ? "it closed the connection" : "it stopped reading");
  }
  return false;
}

}  // namespace sanduk::box
