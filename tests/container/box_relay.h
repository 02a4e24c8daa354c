// A stand-in for the relay: a unix socket that takes the box's report and answers all else as a test says.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/text.h"

namespace sanduk::test {

inline bool send_text(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// What has come within `milliseconds`, at most one read; nothing at the end or on a time-out.
inline std::string receive_some(int fd, int milliseconds = 10000) {
  pollfd waiting{fd, POLLIN, 0};
  if (poll(&waiting, 1, milliseconds) != 1) return "";
  std::string bytes(65536, '\0');
  const ssize_t got = recv(fd, bytes.data(), bytes.size(), 0);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

// Answers on a unix socket: the box's report as the test says, all else by `serve`.
class StandInRelay {
 public:
  // Gets a connection after the head of its first request was read, with that head and what came after it.
  using Serve = std::function<void(int fd, const std::string& head, const std::string& rest)>;

  explicit StandInRelay(const std::filesystem::path& socket, int backlog = 128);
  ~StandInRelay();
  StandInRelay(const StandInRelay&) = delete;
  StandInRelay& operator=(const StandInRelay&) = delete;

  Serve serve;
  int report_status = 200;
  std::string report_answer = "{}";

  std::string report() const;
  std::string report_head() const;

 private:
  void accept_all();
  void take(int fd);
  void take_report(int fd, const std::string& head, std::string body);

  int listener_ = -1;
  mutable std::mutex mutex_;
  std::string report_;
  std::string report_head_;
  std::vector<std::thread> threads_;
  std::vector<int> open_;
  std::atomic<bool> stopping_ = false;
  std::thread acceptor_;
};

inline StandInRelay::StandInRelay(const std::filesystem::path& socket, int backlog) {
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.string().copy(address.sun_path, sizeof address.sun_path - 1);
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listener_, backlog) != 0) {
    throw std::runtime_error("cannot listen on " + socket.string());
  }
  chmod(socket.c_str(), 0666);
  acceptor_ = std::thread([this] { accept_all(); });
}

inline StandInRelay::~StandInRelay() {
  stopping_ = true;
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  {
    const std::lock_guard lock(mutex_);
    for (const int fd : open_) shutdown(fd, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  for (const int fd : open_) close(fd);
}

inline std::string StandInRelay::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

inline std::string StandInRelay::report_head() const {
  const std::lock_guard lock(mutex_);
  return report_head_;
}

inline void StandInRelay::accept_all() {
  while (!stopping_) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const std::lock_guard lock(mutex_);
    open_.push_back(fd);
    threads_.emplace_back([this, fd] { take(fd); });
  }
}

// The descriptor stays open, half of it shut, until the end: its number must not come again meanwhile.
inline void StandInRelay::take(int fd) {
  std::string bytes;
  std::size_t end;
  while ((end = bytes.find("\r\n\r\n")) == std::string::npos) {
    const std::string more = receive_some(fd, 60000);
    if (more.empty()) return;
    bytes += more;
  }
  const std::string head = bytes.substr(0, end + 4);
  if (head.starts_with("POST /.sanduk/box-report ")) {
    take_report(fd, head, bytes.substr(end + 4));
  } else if (serve) {
    serve(fd, head, bytes.substr(end + 4));
  }
  shutdown(fd, SHUT_RDWR);
}

inline void StandInRelay::take_report(int fd, const std::string& head, std::string body) {
  const std::string lower_head = lower(head);
  const std::size_t at = lower_head.find("content-length: ");
  const std::size_t size = std::stoul(lower_head.substr(at + 16));
  while (body.size() < size) {
    const std::string more = receive_some(fd);
    if (more.empty()) return;
    body += more;
  }
  {
    const std::lock_guard lock(mutex_);
    report_ = body;
    report_head_ = head;
  }
  send_text(fd, "HTTP/1.1 " + std::to_string(report_status) + " X\r\nContent-Length: " +
                    std::to_string(report_answer.size()) + "\r\nConnection: close\r\n\r\n" + report_answer);
}

}  // namespace sanduk::test
