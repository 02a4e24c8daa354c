#include "support/scripted_upstream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace sanduk::test {
namespace {

using Clock = std::chrono::steady_clock;

std::string lower_text(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::optional<std::string> find_value(const std::string& head, std::string_view name) {
  const std::string all = lower_text(head);
  const std::string mark = "\r\n" + lower_text(name) + ":";
  const std::size_t at = all.find(mark);
  if (at == std::string::npos) return std::nullopt;
  std::size_t begin = at + mark.size();
  const std::size_t end = head.find("\r\n", begin);
  while (begin < end && head[begin] == ' ') ++begin;
  return head.substr(begin, end - begin);
}

}  // namespace

std::string ScriptedRequest::method() const { return head.substr(0, head.find(' ')); }

std::string ScriptedRequest::target() const {
  const std::size_t begin = head.find(' ') + 1;
  return head.substr(begin, head.find(' ', begin) - begin);
}

std::string ScriptedRequest::header(std::string_view name) const { return find_value(head, name).value_or(""); }

bool ScriptedRequest::has_header(std::string_view name) const { return find_value(head, name).has_value(); }

ScriptedAnswer& ScriptedAnswer::send(std::string bytes) {
  steps_.push_back({Kind::send, std::move(bytes)});
  return *this;
}

ScriptedAnswer& ScriptedAnswer::chunk(std::string_view bytes) {
  std::array<char, 24> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  return send(size.data() + std::string(bytes) + "\r\n");
}

ScriptedAnswer& ScriptedAnswer::pause(std::chrono::milliseconds time) {
  if (time.count() > 0) steps_.push_back({Kind::pause, "", time});
  return *this;
}

ScriptedAnswer& ScriptedAnswer::close() {
  steps_.push_back({Kind::close, ""});
  return *this;
}

ScriptedAnswer& ScriptedAnswer::reset() {
  steps_.push_back({Kind::reset, ""});
  return *this;
}

ScriptedAnswer& ScriptedAnswer::wait_for_peer_close() {
  steps_.push_back({Kind::wait, ""});
  return *this;
}

ScriptedAnswer ScriptedAnswer::json(int status, std::string_view body, std::string_view headers) {
  return raw("HTTP/1.1 " + std::to_string(status) + " Words\r\ncontent-type: application/json\r\n" +
             std::string(headers) + "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
}

ScriptedAnswer ScriptedAnswer::raw(std::string bytes) {
  ScriptedAnswer answer;
  answer.send(std::move(bytes));
  return answer;
}

ScriptedAnswer ScriptedAnswer::events(const std::vector<std::string>& events, std::chrono::milliseconds gap) {
  ScriptedAnswer answer =
      raw("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
  for (const std::string& event : events) answer.chunk(event).pause(gap);
  answer.send("0\r\n\r\n");
  return answer;
}

// One accepted socket, with or without TLS.
class ScriptedUpstream::Connection {
 public:
  Connection(int fd, void* context) : fd_(fd) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const timeval patience{30, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (context != nullptr) {
      ssl_ = SSL_new(static_cast<SSL_CTX*>(context));
      SSL_set_fd(ssl_, fd);
      good_ = SSL_accept(ssl_) == 1;
      ERR_clear_error();
    }
  }
  ~Connection() {
    if (ssl_ != nullptr) SSL_free(ssl_);
    ::close(fd_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool good() const { return good_; }
  std::string server_name() const {
    const char* name = ssl_ == nullptr ? nullptr : SSL_get_servername(ssl_, TLSEXT_NAMETYPE_host_name);
    return name == nullptr ? "" : name;
  }

  bool resumed() const { return ssl_ != nullptr && SSL_session_reused(ssl_) == 1; }

  bool read_more(std::string& into) {
    std::array<char, 65536> piece{};
    const long got = ssl_ != nullptr ? SSL_read(ssl_, piece.data(), static_cast<int>(piece.size()))
                                     : recv(fd_, piece.data(), piece.size(), 0);
    if (got <= 0) {
      ERR_clear_error();
      return false;
    }
    into.append(piece.data(), static_cast<std::size_t>(got));
    return true;
  }

  bool write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      const long sent = ssl_ != nullptr ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                                        : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        ERR_clear_error();
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void say_goodbye() {
    if (ssl_ != nullptr) SSL_shutdown(ssl_);
    ERR_clear_error();
  }

  void reset() {
    const linger now{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }

  int fd() const { return fd_; }
  std::string text;  // read and not yet used

 private:
  int fd_;
  SSL* ssl_ = nullptr;
  bool good_ = true;
};

ScriptedUpstream::ScriptedUpstream(ScriptedTls tls, const std::string& address) {
  if (!tls.certificate_file.empty()) {
    SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
    if (SSL_CTX_use_certificate_chain_file(context, tls.certificate_file.c_str()) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, tls.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
      throw std::runtime_error("cannot load " + tls.certificate_file);
    }
    if (tls.newest_version != 0) {
      SSL_CTX_set_security_level(context, 0);
      SSL_CTX_set_max_proto_version(context, tls.newest_version);
    }
    context_ = context;
  }
  listener_ = socket(address.find(':') == std::string::npos ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_storage where{};
  socklen_t size = sizeof(sockaddr_in);
  if (address.find(':') == std::string::npos) {
    auto* const in = reinterpret_cast<sockaddr_in*>(&where);
    in->sin_family = AF_INET;
    inet_pton(AF_INET, address.c_str(), &in->sin_addr);
  } else {
    auto* const in = reinterpret_cast<sockaddr_in6*>(&where);
    in->sin6_family = AF_INET6;
    inet_pton(AF_INET6, address.c_str(), &in->sin6_addr);
    size = sizeof(sockaddr_in6);
  }
  if (bind(listener_, reinterpret_cast<sockaddr*>(&where), size) != 0 || listen(listener_, 1024) != 0) {
    throw std::runtime_error("the scripted upstream cannot listen");
  }
  getsockname(listener_, reinterpret_cast<sockaddr*>(&where), &size);
  port_ = ntohs(reinterpret_cast<sockaddr_in*>(&where)->sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

ScriptedUpstream::~ScriptedUpstream() {
  stopping_ = true;
  acceptor_.join();
  ::close(listener_);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, fd] : open_) shutdown(fd, SHUT_RDWR);
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  if (context_ != nullptr) SSL_CTX_free(static_cast<SSL_CTX*>(context_));
}

void ScriptedUpstream::accept_all() {
  while (!stopping_) {
    pollfd one{listener_, POLLIN, 0};
    if (poll(&one, 1, 20) <= 0) continue;
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const std::lock_guard lock(mutex_);
    const std::size_t number = ++accepted_;
    open_[number] = fd;
    threads_.emplace_back([this, fd, number] {
      {
        Connection connection(fd, context_);
        if (connection.good()) serve(connection, number);
        // Forgotten before it is closed: its number may be another's a moment later.
        const std::lock_guard inner(mutex_);
        open_.erase(number);
      }
      const std::lock_guard inner(mutex_);
      changed_.notify_all();
    });
    changed_.notify_all();
  }
}

void ScriptedUpstream::serve(Connection& connection, std::size_t number) {
  {
    const std::lock_guard lock(mutex_);
    server_name_ = connection.server_name();
    if (connection.resumed()) ++resumed_;
  }
  if (close_next_ > 0) {
    --close_next_;
    return connection.say_goodbye();
  }
  for (;;) {
    ScriptedRequest request;
    request.connection = number;
    std::size_t end = 0;
    while ((end = connection.text.find("\r\n\r\n")) == std::string::npos) {
      if (!connection.read_more(connection.text)) return;
    }
    request.head = connection.text.substr(0, end + 4);
    connection.text.erase(0, end + 4);
    const std::size_t size = std::strtoull(request.header("content-length").c_str(), nullptr, 10);
    while (!at_head_ && connection.text.size() < size) {
      if (!connection.read_more(connection.text)) return;
    }
    request.body = connection.text.substr(0, size);
    connection.text.erase(0, size);
    const ScriptedAnswer answer = next_answer(request);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      changed_.notify_all();
    }
    if (!run(connection, answer)) return;
  }
}

ScriptedAnswer ScriptedUpstream::next_answer(const ScriptedRequest& request) {
  Answerer answerer;
  {
    const std::lock_guard lock(mutex_);
    if (answers_.empty() && !answerer_) return ScriptedAnswer::json(200, "{}");
    if (!answerer_) {
      const ScriptedAnswer answer = answers_[next_];
      if (next_ + 1 < answers_.size()) ++next_;
      return answer;
    }
    answerer = answerer_;
  }
  return answerer(request);
}

bool ScriptedUpstream::run(Connection& connection, const ScriptedAnswer& answer) {
  for (const ScriptedAnswer::Step& step : answer.steps_) {
    switch (step.kind) {
      case ScriptedAnswer::Kind::send:
        if (!connection.write_all(step.bytes)) return false;
        break;
      case ScriptedAnswer::Kind::pause: {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, step.time, [&] { return stopping_.load(); });
        break;
      }
      case ScriptedAnswer::Kind::close:
        connection.say_goodbye();
        return false;
      case ScriptedAnswer::Kind::reset:
        connection.reset();
        return false;
      case ScriptedAnswer::Kind::wait: {
        std::string ignored;
        while (connection.read_more(ignored)) {
        }
        return false;
      }
    }
  }
  return true;
}

void ScriptedUpstream::answer(ScriptedAnswer answer) {
  const std::lock_guard lock(mutex_);
  answers_.push_back(std::move(answer));
}

void ScriptedUpstream::answer_with(Answerer answerer) {
  const std::lock_guard lock(mutex_);
  answerer_ = std::move(answerer);
}

std::vector<ScriptedRequest> ScriptedUpstream::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t ScriptedUpstream::connections() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}

std::size_t ScriptedUpstream::open() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

bool ScriptedUpstream::wait_for_requests(std::size_t count, std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return requests_.size() >= count; });
}

bool ScriptedUpstream::wait_until_open(std::size_t count, std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return open_.size() == count; });
}

void ScriptedUpstream::close_all() {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, fd] : open_) shutdown(fd, SHUT_RDWR);
  }
  wait_until_open(0);
}

std::size_t ScriptedUpstream::resumed() const {
  const std::lock_guard lock(mutex_);
  return resumed_;
}

std::string ScriptedUpstream::server_name() const {
  const std::lock_guard lock(mutex_);
  return server_name_;
}

}  // namespace sanduk::test
