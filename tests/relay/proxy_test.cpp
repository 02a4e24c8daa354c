// The way out through a proxy: which calls take it, what it is asked, what becomes of its refusal.
#include "relay/proxy.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <thread>

#include "diagnostics/diagnostic.h"
#include "relay/harness.h"

namespace sanduk::test {
namespace {

class FakeWorld : public World {
 public:
  std::map<std::string, std::string> variables;
  std::optional<std::string> variable(const std::string& name) const override {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }
};

const Upstream far_away{"https", "api.example.com", 443};

std::string proxy_of(const std::map<std::string, std::string>& variables, const Upstream& target = far_away) {
  FakeWorld world;
  world.variables = variables;
  try {
    const std::optional<Proxy> proxy = proxy_for(target, world);
    if (!proxy) return "none";
    return proxy->host + ":" + std::to_string(proxy->port) + " " + std::string(proxy->authorization.reveal());
  } catch (const RunError& problem) {
    EXPECT_EQ(problem.diagnostic.code, "bad-proxy");
    EXPECT_EQ(problem.diagnostic.message.find("secret"), std::string::npos) << problem.diagnostic.message;
    return "refused";
  }
}

TEST(ProxyChoice, IsReadFromTheVariables) {
  EXPECT_EQ(proxy_of({}), "none");
  EXPECT_EQ(proxy_of({{"HTTPS_PROXY", ""}}), "none");
  EXPECT_EQ(proxy_of({{"HTTPS_PROXY", "http://proxy:3128"}}), "proxy:3128 ");
  EXPECT_EQ(proxy_of({{"HTTPS_PROXY", "http://Proxy:3128/"}}), "proxy:3128 ");
  EXPECT_EQ(proxy_of({{"HTTPS_PROXY", "proxy:3128"}}), "proxy:3128 ");
  EXPECT_EQ(proxy_of({{"HTTPS_PROXY", "http://proxy"}}), "proxy:80 ");
  EXPECT_EQ(proxy_of({{"HTTPS_PROXY", "http://[::1]:8080"}}), "::1:8080 ");
  EXPECT_EQ(proxy_of({{"https_proxy", "http://small:1"}, {"HTTPS_PROXY", "http://large:2"}}), "small:1 ");
  EXPECT_EQ(proxy_of({{"HTTPS_PROXY", "http://me:p%40ss@proxy:1"}}), "proxy:1 Basic bWU6cEBzcw==");
}

TEST(ProxyChoice, WhatCannotBeUsedIsSaid) {
  for (const char* const value : {"https://proxy:1", "socks5://proxy:1", "http://", "http://proxy:0", "http://proxy:x",
                                  "http://u:secret@:1", "http://pro xy:1", "http://proxy:1/path"}) {
    EXPECT_EQ(proxy_of({{"HTTPS_PROXY", value}}), "refused") << value;
  }
}

TEST(ProxyChoice, SomeCallsGoStraight) {
  const std::map<std::string, std::string> variables = {{"HTTPS_PROXY", "http://proxy:1"}};
  EXPECT_EQ(proxy_of(variables, {"http", "api.example.com", 80}), "none");
  EXPECT_EQ(proxy_of(variables, {"https", "localhost", 443}), "none");
  EXPECT_EQ(proxy_of(variables, {"https", "127.0.0.1", 443}), "none");
  EXPECT_EQ(proxy_of(variables, {"https", "::1", 443}), "none");
  const auto with = [](const std::string& exceptions) {
    return proxy_of({{"HTTPS_PROXY", "http://proxy:1"}, {"NO_PROXY", exceptions}});
  };
  for (const char* const value : {"*", "api.example.com", "example.com", ".example.com", "*.example.com",
                                  "a, Example.COM", "api.example.com:443"}) {
    EXPECT_EQ(with(value), "none") << value;
  }
  for (const char* const value : {"", "ample.com", "api.example.com.evil", "example.com:80", "other", ",,"}) {
    EXPECT_EQ(with(value), "proxy:1 ") << value;
  }
}

// Takes one connection, keeps what it is asked, answers, and passes bytes on to `port`.
class ScriptedProxy {
 public:
  ScriptedProxy(std::string answer, int port) : answer_(std::move(answer)), target_(port) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof where;
    bind(listener_, reinterpret_cast<sockaddr*>(&where), size);
    listen(listener_, 4);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&where), &size);
    port_ = ntohs(where.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedProxy() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  int port() const { return port_; }
  const std::string& asked() const { return asked_; }  // complete once the call has ended

 private:
  void serve() {
    const int client = accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    char byte = 0;
    while (!asked_.ends_with("\r\n\r\n") && recv(client, &byte, 1, 0) == 1) asked_ += byte;
    send(client, answer_.data(), answer_.size(), MSG_NOSIGNAL);
    if (target_ != 0) pass_on(client);
    close(client);
  }
  void pass_on(int client) const {
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    where.sin_port = htons(static_cast<uint16_t>(target_));
    connect(server, reinterpret_cast<sockaddr*>(&where), sizeof where);
    pollfd ends[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    for (bool open = true; open && poll(ends, 2, 10000) > 0;) {
      for (int i = 0; i < 2 && open; ++i) {
        char bytes[4096];
        if (ends[i].revents == 0) continue;
        const ssize_t got = recv(ends[i].fd, bytes, sizeof bytes, 0);
        open = got > 0 && send(ends[1 - i].fd, bytes, static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
      }
    }
    close(server);
  }

  std::string answer_;
  int target_;
  int listener_ = -1;
  int port_ = 0;
  std::string asked_;
  std::thread thread_;
};

class ProxyTest : public RelayTest {
 protected:
  // The provider's name is known to the proxy alone.
  void use_proxy(const ScriptedProxy& proxy, const std::string& authorization = "") {
    plan.upstream = Upstream{"https", "provider.test", 443};
    settings.proxy = Proxy{"127.0.0.1", proxy.port(), Secret(authorization)};
  }
};

constexpr const char* body = R"({"model":"claude-x","max_tokens":100})";

TEST_F(ProxyTest, TheCallGoesThroughATunnel) {
  use_tls(trusted_authority().issue({"DNS:provider.test"}));
  upstream().answer(ScriptedAnswer::events(anthropic_events()));
  ScriptedProxy proxy("HTTP/1.1 200 Connection established\r\nvia: x\r\n\r\n", upstream().port());
  use_proxy(proxy, "Basic bWU6cA==");
  start();
  EXPECT_EQ(post(body).body, joined(anthropic_events()));
  ASSERT_EQ(upstream().requests().size(), 1U);
  EXPECT_EQ(upstream().requests()[0].header("host"), "provider.test");
  EXPECT_FALSE(upstream().requests()[0].has_header("proxy-authorization"));
  stop();
  EXPECT_EQ(proxy.asked(),
            "CONNECT provider.test:443 HTTP/1.1\r\nhost: provider.test:443\r\n"
            "proxy-authorization: Basic bWU6cA==\r\n\r\n");
}

TEST_F(ProxyTest, TheProxyIsNotTheProvider) {
  use_tls(trusted_authority().issue({"DNS:proxy.test"}));
  ScriptedProxy proxy("HTTP/1.1 200 OK\r\n\r\n", upstream().port());
  use_proxy(proxy);
  start();
  EXPECT_NE(post(body).body.find("not for provider.test"), std::string::npos);
  EXPECT_EQ(upstream().requests().size(), 0U);
}

class ProxyAnswer : public ProxyTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(ProxyAnswer, OtherThanYesIsSaidAndNoKeyGoesOut) {
  ScriptedProxy proxy(GetParam(), 0);
  use_proxy(proxy);
  settings.limits.connect_total = std::chrono::milliseconds(1500);
  start();
  const Reply reply = post(body);
  EXPECT_EQ(reply.status, 502);
  EXPECT_NE(reply.body.find("the proxy"), std::string::npos) << reply.body;
  EXPECT_EQ(proxy.asked().find(real_key), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Relay, ProxyAnswer,
                         ::testing::Values("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
                                           "HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n", "SSH-2.0-x\r\n\r\n", "",
                                           "HTTP/1.1 200 OK\r\n", std::string(20000, 'x')),
                         [](const auto& one) { return "Case" + std::to_string(one.index); });

}  // namespace
}  // namespace sanduk::test
