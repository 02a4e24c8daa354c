// Streams of server-sent events for measuring a proxy: a provider whose events carry the time at which they were sent,
// and a client that reads that time back. Both are one epoll loop in one thread.
//
//   bench_sse serve PORT              answers every POST with 64 events, 20 ms apart
//   bench_sse load PORT STREAMS TOKEN opens STREAMS at once; prints JSON: delays from sending to reading in
//   microseconds
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int events_each = 64;
constexpr std::int64_t gap_ns = 20'000'000;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

sockaddr_in loopback(int port) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  where.sin_port = htons(static_cast<uint16_t>(port));
  return where;
}

void set_no_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void send_all(int fd, const std::string& text) {
  // Small pieces into a fresh socket: they always fit.
  if (send(fd, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) shutdown(fd, SHUT_RDWR);
}

std::string chunk(const std::string& text) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  return size + text + "\r\n";
}

struct Stream {
  std::string text;
  int sent = -1;  // events; -1: the request is not whole yet
  std::int64_t next = 0;
};

bool is_whole(const std::string& text) {
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  std::size_t at = text.find("ontent-length: ");
  if (at == std::string::npos) at = text.find("ontent-Length: ");
  return text.size() >= end + 4 + (at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + 15, nullptr, 10));
}

int serve(int port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in where = loopback(port);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 || listen(listener, 2048) != 0) {
    std::perror("bench_sse");
    return 1;
  }
  const int poller = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = listener;
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  std::map<int, Stream> streams;
  std::vector<epoll_event> ready(256);
  for (;;) {
    const int count = epoll_wait(poller, ready.data(), static_cast<int>(ready.size()), 1);
    for (int i = 0; i < count; ++i) {
      const int fd = ready[static_cast<std::size_t>(i)].data.fd;
      if (fd == listener) {
        const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) continue;
        set_no_delay(client);
        event.data.fd = client;
        epoll_ctl(poller, EPOLL_CTL_ADD, client, &event);
        streams[client] = {};
        continue;
      }
      char bytes[65536];
      const ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno != EAGAIN)) {
        streams.erase(fd);
        close(fd);
        continue;
      }
      Stream& stream = streams[fd];
      if (got > 0) stream.text.append(bytes, static_cast<std::size_t>(got));
      if (stream.sent >= 0 || !is_whole(stream.text)) continue;
      stream.text.clear();
      stream.sent = 0;
      stream.next = now_ns();
      send_all(fd, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
    }
    for (auto& [fd, stream] : streams) {
      if (stream.sent < 0 || now_ns() < stream.next) continue;
      stream.next += gap_ns;
      if (++stream.sent <= events_each) {
        send_all(fd, chunk("data: {\"choices\":[{\"delta\":{\"content\":\"hello world, one more piece of text\"}}],"
                           "\"sent\":" +
                           std::to_string(now_ns()) + "}\n\n"));
      } else {
        send_all(fd, chunk("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":64}}\n\n") +
                         chunk("data: [DONE]\n\n") + "0\r\n\r\n");
        stream.sent = -1;
      }
    }
  }
}

// Takes the times out of `text` and leaves what is not yet whole.
void take_times(std::string& text, std::vector<double>& delays) {
  const std::int64_t now = now_ns();
  std::size_t at = 0;
  for (std::size_t found = 0; (found = text.find("\"sent\":", at)) != std::string::npos;) {
    const std::size_t end = text.find('}', found);
    if (end == std::string::npos) break;
    delays.push_back(static_cast<double>(now - std::strtoll(text.c_str() + found + 7, nullptr, 10)) / 1000.0);
    at = end;
  }
  text.erase(0, at);
  if (text.size() > 4096) text.erase(0, text.size() - 4096);
}

int load(int port, int count, const std::string& token) {
  const std::string body =
      R"({"model":"m","max_tokens":100,"stream":true,"messages":[{"role":"user","content":"hi"}]})";
  const std::string request = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                              token +
                              "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                              "\r\nConnection: close\r\n\r\n" + body;
  const int poller = epoll_create1(EPOLL_CLOEXEC);
  std::map<int, std::string> streams;
  const sockaddr_in where = loopback(port);
  for (int i = 0; i < count; ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) {
      std::perror("connect");
      return 1;
    }
    set_no_delay(fd);
    send_all(fd, request);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
    streams[fd] = {};
  }
  std::vector<double> delays;
  int whole = 0;
  const std::int64_t give_up = now_ns() + 60'000'000'000;
  std::vector<epoll_event> ready(256);
  while (!streams.empty() && now_ns() < give_up) {
    const int got = epoll_wait(poller, ready.data(), static_cast<int>(ready.size()), 1000);
    for (int i = 0; i < got; ++i) {
      const int fd = ready[static_cast<std::size_t>(i)].data.fd;
      char bytes[65536];
      const ssize_t size = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
      if (size > 0) {
        streams[fd].append(bytes, static_cast<std::size_t>(size));
        const bool done = streams[fd].find("[DONE]") != std::string::npos;
        take_times(streams[fd], delays);
        if (!done) continue;
        ++whole;
        streams.erase(fd);
        close(fd);
      } else if (size == 0 || errno != EAGAIN) {
        streams.erase(fd);
        close(fd);
      }
    }
  }
  std::sort(delays.begin(), delays.end());
  const auto at = [&](double share) {
    return delays.empty() ? -1 : delays[static_cast<std::size_t>(share * static_cast<double>(delays.size() - 1))];
  };
  std::printf("{\"streams\":%d,\"whole\":%d,\"events\":%zu,\"p50\":%.1f,\"p99\":%.1f,\"max\":%.1f}\n", count, whole,
              delays.size(), at(0.5), at(0.99), at(1));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (argc == 3 && std::strcmp(argv[1], "serve") == 0) return serve(std::atoi(argv[2]));
  if (argc == 5 && std::strcmp(argv[1], "load") == 0) return load(std::atoi(argv[2]), std::atoi(argv[3]), argv[4]);
  std::fprintf(stderr, "usage: bench_sse serve PORT | load PORT STREAMS TOKEN\n");
  return 2;
}
