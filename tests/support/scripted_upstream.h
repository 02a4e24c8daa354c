// A provider that says what a test wants, over real sockets: in plain text or TLS, byte for byte, as slowly or as
// broken as asked. Records every request as it came.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sanduk::test {

struct ScriptedRequest {
  std::string head;  // with the blank line
  std::string body;
  std::size_t connection = 0;  // from 1, in order of arrival

  std::string method() const;
  std::string target() const;
  // The value of a header, in whatever case; empty if it is not there.
  std::string header(std::string_view name) const;
  bool has_header(std::string_view name) const;
};

// What to do with one request, step by step.
class ScriptedAnswer {
 public:
  ScriptedAnswer& send(std::string bytes);
  ScriptedAnswer& chunk(std::string_view bytes);  // one chunk of the chunked coding
  ScriptedAnswer& pause(std::chrono::milliseconds time);
  ScriptedAnswer& close();                // in order
  ScriptedAnswer& reset();                // as a crash does
  ScriptedAnswer& wait_for_peer_close();  // until the other side has gone

  static ScriptedAnswer json(int status, std::string_view body, std::string_view headers = "");
  static ScriptedAnswer raw(std::string bytes);
  // Server-sent events, one chunk an event, `gap` apart.
  static ScriptedAnswer events(const std::vector<std::string>& events, std::chrono::milliseconds gap = {});

 private:
  friend class ScriptedUpstream;
  enum class Kind { send, pause, close, reset, wait };
  struct Step {
    Kind kind;
    std::string bytes;
    std::chrono::milliseconds time{};
  };
  std::vector<Step> steps_;
};

// Files of a certificate and its key; both empty: plain text.
struct ScriptedTls {
  std::string certificate_file;
  std::string key_file;
  int newest_version = 0;  // an OpenSSL version number; 0: whatever the library has
};

class ScriptedUpstream {
 public:
  using Answerer = std::function<ScriptedAnswer(const ScriptedRequest&)>;

  // Listens on 127.0.0.1 (or `address`).
  explicit ScriptedUpstream(ScriptedTls tls = {}, const std::string& address = "127.0.0.1");
  ~ScriptedUpstream();
  ScriptedUpstream(const ScriptedUpstream&) = delete;
  ScriptedUpstream& operator=(const ScriptedUpstream&) = delete;

  // Answers in order; the last one repeats.
  void answer(ScriptedAnswer answer);
  void answer_with(Answerer answerer);
  // Answers before the request's body is read.
  void answer_at_head(bool yes) { at_head_ = yes; }
  // Closes each new connection's first `count` before a request is read.
  void close_next(int count) { close_next_ = count; }

  int port() const { return port_; }
  std::vector<ScriptedRequest> requests() const;
  std::size_t connections() const;  // accepted so far
  std::size_t open() const;         // still open
  bool wait_for_requests(std::size_t count, std::chrono::milliseconds patience = std::chrono::seconds(20)) const;
  bool wait_until_open(std::size_t count, std::chrono::milliseconds patience = std::chrono::seconds(20)) const;
  // Closes what is open between two requests, as providers do after a while.
  void close_all();
  std::string server_name() const;  // of the last TLS handshake
  std::size_t resumed() const;      // TLS handshakes that took up an earlier session

 private:
  class Connection;
  void accept_all();
  void serve(Connection& connection, std::size_t number);
  bool run(Connection& connection, const ScriptedAnswer& answer);
  ScriptedAnswer next_answer(const ScriptedRequest& request);

  void* context_ = nullptr;  // SSL_CTX
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> at_head_{false};
  std::atomic<int> close_next_{0};
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<ScriptedAnswer> answers_;
  std::size_t next_ = 0;
  Answerer answerer_;
  std::vector<ScriptedRequest> requests_;
  std::size_t accepted_ = 0;
  std::map<std::size_t, int> open_;  // connection -> descriptor
  std::string server_name_;
  std::size_t resumed_ = 0;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace sanduk::test
