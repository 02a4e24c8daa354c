// A relay between a raw client and a scripted provider, all in this process.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relay/relay.h"
#include "support/scripted_upstream.h"
#include "support/test_authority.h"

namespace sanduk::test {

inline constexpr const char* real_key = "sk-real-0123456789abcdef-REAL";
inline constexpr const char* run_token = "run-token-0123456789";

// An answer as a client sees it.
struct Reply {
  int status = 0;
  std::string head;
  std::string body;       // without the chunked coding
  bool complete = false;  // the framing said that it is whole
  bool closed = false;    // the connection ended behind (or inside) it
  bool reset = false;     // … not in order

  std::string header(std::string_view name) const;
  bool has_header(std::string_view name) const;
};

class RawClient {
 public:
  static RawClient to_port(int port, const std::string& address = "127.0.0.1");
  static RawClient to_path(const std::string& path);
  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient();

  bool send(std::string_view bytes);
  // One answer, 1xx ones skipped; `head_only`: it has no body. Returns what there is when `patience` ends.
  Reply read_reply(bool head_only = false, std::chrono::milliseconds patience = std::chrono::seconds(60));
  // Bytes as they come, up to `size` or the end.
  std::string read_some(std::size_t size, std::chrono::milliseconds patience = std::chrono::seconds(60));
  bool wait_until_closed(std::chrono::milliseconds patience = std::chrono::seconds(20));
  void close();
  int fd() const { return fd_; }

 private:
  explicit RawClient(int fd) : fd_(fd) {}
  bool more(std::chrono::steady_clock::time_point deadline, bool* reset);
  int fd_;
  std::string text_;
};

// A message's request, with what it must have.
std::string request(std::string_view method, std::string_view target, std::string_view body,
                    std::string_view headers = "");

class RelayTest : public ::testing::Test {
 protected:
  RelayTest();
  ~RelayTest() override;

  // Fill in before start().
  RelaySettings settings;
  PlannedRelay& plan;
  void use_tls(const ScriptedTls& tls, const std::string& host = "localhost");
  void use_openai();
  void use_cassette(const std::string& text);

  void start();
  void stop() { relay_.reset(); }
  ScriptedUpstream& upstream();
  Relay& relay() { return *relay_; }
  RawClient connect() { return RawClient::to_port(port()); }
  int port() const;

  // One request on a connection of its own.
  Reply ask(std::string_view bytes, bool head_only = false);
  Reply post(std::string_view body, std::string_view headers = "", std::string_view path = "/v1/messages");

  std::vector<CallRecord> records() const;
  bool wait_for_records(std::size_t count) const;
  std::vector<std::pair<std::string, std::string>> stops() const;
  // The last record, once there are `count`.
  CallRecord record(std::size_t count = 1) const;
  std::string directory();  // a temporary one

 private:
  std::unique_ptr<ScriptedUpstream> upstream_;
  std::unique_ptr<Relay> relay_;
  std::string directory_;
  mutable std::mutex mutex_;
  std::vector<CallRecord> records_;
  std::vector<std::pair<std::string, std::string>> stops_;
};

// The authority that the process trusts (SSL_CERT_FILE).
TestAuthority& trusted_authority();

// Events of a small anthropic stream; usage: in 25, cache_write 3, cache_read 4, out 15.
std::vector<std::string> anthropic_events();
std::string joined(const std::vector<std::string>& parts);

// `text` compressed, if asked with a flush behind every line.
std::string gzip(std::string_view text, bool flush_each_line = false);

}  // namespace sanduk::test
