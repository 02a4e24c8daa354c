// Tunnels to allowed hosts: who gets one, to where, what passes, and how it ends.
#include "relay/tunnel.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "relay/base64.h"
#include "relay/harness.h"

namespace sanduk::test {
namespace {

using std::chrono::milliseconds;

// A host on the internet: takes one connection, and does with it what the test wants.
class Host {
 public:
  explicit Host(std::function<void(int)> serve) : serve_(std::move(serve)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof where;
    bind(listener_, reinterpret_cast<sockaddr*>(&where), size);
    listen(listener_, 4);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&where), &size);
    port_ = ntohs(where.sin_port);
    thread_ = std::thread([this] {
      const int client = accept(listener_, nullptr, nullptr);
      if (client < 0) return;
      reached_ = true;
      serve_(client);
      close(client);
    });
  }
  ~Host() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  int port() const { return port_; }
  bool reached() const { return reached_; }

 private:
  std::function<void(int)> serve_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> reached_{false};
  std::thread thread_;
};

std::string read_to_end(int fd) {
  std::string text;
  char bytes[4096];
  for (ssize_t got = 0; (got = recv(fd, bytes, sizeof bytes, 0)) > 0;)
    text.append(bytes, static_cast<std::size_t>(got));
  return text;
}

// Says what it heard, once the client has said all.
void echo(int fd) {
  const std::string text = read_to_end(fd);
  send(fd, text.data(), text.size(), MSG_NOSIGNAL);
}

void stay_silent(int fd) { read_to_end(fd); }

class TunnelTest : public RelayTest {
 protected:
  void allow(const Host& host, const std::string& authority = "packages.test:443") {
    settings.tunnels.push_back({authority, {"https", "127.0.0.1", host.port()}, std::nullopt});
    settings.tunnel_objection = nullptr;
  }
  std::string basic(const std::string& user_and_password) {
    return "Proxy-Authorization: Basic " + encode_base64(user_and_password) + "\r\n";
  }
  std::string token() { return std::string(settings.token.reveal()); }
  std::string connect_to(const std::string& authority, const std::string& headers) {
    return "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n" + headers + "\r\n";
  }
  // The relay keeps its token from start() on.
  void begin() {
    good_ = basic("sanduk:" + token());
    start();
  }
  RawClient open(const std::string& authority = "packages.test:443", const std::string& behind = "") {
    RawClient client = connect();
    client.send(connect_to(authority, good_) + behind);
    const std::string established = "HTTP/1.1 200 Connection Established\r\n\r\n";
    EXPECT_EQ(client.read_some(established.size()), established);
    return client;
  }
  std::string good_;
};

TEST_F(TunnelTest, PassesBytesBothWaysAndCountsThem) {
  Host host(echo);
  allow(host);
  begin();
  RawClient client = open();
  const std::string text = std::string(300000, 'x') + "end";
  std::thread writer([&] {
    client.send(text);
    shutdown(client.fd(), SHUT_WR);
  });
  EXPECT_EQ(client.read_some(text.size() + 1), text);
  writer.join();
  const CallRecord call = record();
  EXPECT_EQ(call.method + " " + call.path, "CONNECT packages.test:443");
  EXPECT_EQ(call.status, 200);
  EXPECT_TRUE(call.complete) << call.why;
  EXPECT_EQ(call.request_bytes, static_cast<std::int64_t>(text.size()));
  EXPECT_EQ(call.response_bytes, static_cast<std::int64_t>(text.size()));
  EXPECT_NE(call_line(call).find("sent=300003 received=300003"), std::string::npos) << call_line(call);
  EXPECT_EQ(relay().tally().calls, 0);
  EXPECT_EQ(relay().tally().tunnels, 1);
}

TEST_F(TunnelTest, BytesThatComeWithTheHeadGoFirst) {
  Host host(echo);
  allow(host);
  begin();
  RawClient client = open("packages.test:443", "early ");
  client.send("late");
  shutdown(client.fd(), SHUT_WR);
  EXPECT_EQ(client.read_some(100), "early late");
}

TEST_F(TunnelTest, AHostThatSpeaksFirstAndEndsIsHeardOut) {
  Host host([](int fd) {
    send(fd, "hello", 5, MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    read_to_end(fd);
  });
  allow(host);
  begin();
  RawClient client = open();
  EXPECT_EQ(client.read_some(100), "hello");
  client.close();
  EXPECT_EQ(record().response_bytes, 5);
}

TEST_F(TunnelTest, OnlyTheTokenOpensOne) {
  Host host(echo);
  allow(host);
  begin();
  const std::string twice = good_ + good_;
  for (const std::string& headers :
       {std::string(), basic("sanduk:wrong"), basic(token()), basic(token() + ":"), basic("a:" + token() + "x"),
        std::string("Proxy-Authorization: Basic ???\r\n"), std::string("Proxy-Authorization: Basic\r\n"),
        "Proxy-Authorization: Digest " + token() + "\r\n", "Authorization: Bearer " + token() + "\r\n",
        "x-api-key: " + token() + "\r\n"}) {
    const Reply reply = ask(connect_to("packages.test:443", headers));
    EXPECT_EQ(reply.status, 407) << headers;
    EXPECT_EQ(reply.header("proxy-authenticate"), "Basic realm=\"sanduk\"") << headers;
  }
  EXPECT_EQ(ask(connect_to("packages.test:443", twice)).status, 400);
  EXPECT_FALSE(host.reached());
}

TEST_F(TunnelTest, ABearerTokenOrAnyUserWillDo) {
  Host first(echo);
  Host second(echo);
  allow(first, "a.test:443");
  allow(second, "b.test:443");
  begin();
  good_ = "proxy-authorization: bearer " + token() + "\r\n";
  open("a.test:443");
  good_ = basic(":" + token());
  open("b.test:443");
}

TEST_F(TunnelTest, OnlyWhatIsListedIsReached) {
  Host host(echo);
  allow(host);
  begin();
  for (const char* const authority :
       {"packages.test:80", "packages.test:4430", "packages.test.:443", "x.packages.test:443", "packages.tes:443",
        "ackages.test:443", "127.0.0.1:443", "[::1]:443", "packages.test:0443", "localhost:22", "packages.test:+443"}) {
    const Reply reply = ask(connect_to(authority, good_));
    EXPECT_EQ(reply.status, 403) << authority;
    EXPECT_NE(reply.body.find("allow.hosts"), std::string::npos) << reply.body;
  }
  for (const char* const authority : {"packages.test", "/v1/models", "packages.test:443/x", "user@packages.test:443",
                                      "http://packages.test:443", "packages.test:443?x", "*"}) {
    EXPECT_EQ(ask(connect_to(authority, good_)).status, 400) << authority;
  }
  EXPECT_FALSE(host.reached());
  EXPECT_EQ(relay().tally().tunnels, 0);
}

TEST_F(TunnelTest, ANameIsComparedWithoutCase) {
  Host host(echo);
  allow(host);
  begin();
  open("Packages.TEST:443");
}

TEST_F(TunnelTest, WithoutAllowedHostsConnectIsNoMethod) {
  begin();
  EXPECT_EQ(ask(connect_to("packages.test:443", good_)).status, 400);
  const Reply plain = ask("GET http://packages.test/ HTTP/1.1\r\nHost: packages.test\r\n\r\n");
  EXPECT_EQ(plain.status, 400);
  EXPECT_NE(plain.body.find("use https"), std::string::npos) << plain.body;
}

TEST_F(TunnelTest, ABodyBelongsToNoConnect) {
  Host host(echo);
  allow(host);
  begin();
  EXPECT_EQ(ask(connect_to("packages.test:443", good_ + "Content-Length: 3\r\n") + "abc").status, 400);
  EXPECT_EQ(ask(connect_to("packages.test:443", good_ + "Transfer-Encoding: chunked\r\n") + "0\r\n\r\n").status, 400);
  EXPECT_FALSE(host.reached());
}

TEST_F(TunnelTest, LeadsToNoMachineOfTheHostsNetworks) {
  Host host(echo);
  allow(host);
  settings.tunnels[0].where.host = "localhost";  // a name that resolves to this machine
  settings.tunnel_objection = no_special_range;
  begin();
  const Reply reply = ask(connect_to("packages.test:443", good_));
  EXPECT_EQ(reply.status, 502);
  EXPECT_NE(reply.body.find("is loopback"), std::string::npos) << reply.body;
  EXPECT_FALSE(host.reached());
}

TEST_F(TunnelTest, IsShutUntilTheBoxHasReported) {
  Host host(echo);
  allow(host);
  settings.judge_box = [](std::string_view) { return std::vector<std::string>(); };
  begin();
  EXPECT_EQ(ask(connect_to("packages.test:443", good_)).status, 503);
  EXPECT_EQ(ask(request("POST", "/.sanduk/box-report", "{}")).status, 200);
  open();
}

TEST_F(TunnelTest, AHostThatDoesNotAnswerIsSaid) {
  int port = 0;
  {
    Host gone(echo);
    port = gone.port();
  }
  settings.tunnels.push_back({"packages.test:443", {"https", "127.0.0.1", port}, std::nullopt});
  settings.tunnel_objection = nullptr;
  begin();
  const Reply reply = ask(connect_to("packages.test:443", good_));
  EXPECT_EQ(reply.status, 502);
  EXPECT_NE(reply.body.find("Connection refused"), std::string::npos) << reply.body;
}

TEST_F(TunnelTest, SilenceEndsIt) {
  Host host(stay_silent);
  allow(host);
  settings.limits.tunnel_idle = milliseconds(100);
  begin();
  RawClient client = open();
  EXPECT_TRUE(client.wait_until_closed());
  EXPECT_FALSE(record().complete);
  EXPECT_NE(record().why.find("nothing was said"), std::string::npos) << record().why;
}

TEST_F(TunnelTest, ClientThatLeavesFreesTheHost) {
  std::atomic<bool> ended{false};
  Host host([&](int fd) {
    read_to_end(fd);
    ended = true;
  });
  allow(host);
  begin();
  {
    RawClient client = open();
    client.send("x");
  }
  EXPECT_TRUE(wait_for_records(1));
  for (int i = 0; i < 100 && !ended; ++i) std::this_thread::sleep_for(milliseconds(20));
  EXPECT_TRUE(ended);
}

TEST_F(TunnelTest, StopEndsItAtOnce) {
  Host host(stay_silent);
  allow(host);
  begin();
  RawClient client = open();
  const auto begun = std::chrono::steady_clock::now();
  relay().stop(0);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, milliseconds(1500));
  EXPECT_EQ(record().why, "the relay was stopped");
}

TEST_F(TunnelTest, AWriterThatIsNotReadWaits) {
  std::atomic<bool> go{false};
  Host host([&](int fd) {
    while (!go) std::this_thread::sleep_for(milliseconds(5));
    echo(fd);
  });
  allow(host);
  begin();
  RawClient client = open();
  const std::string text(4 << 20, 'y');
  std::thread writer([&] {
    client.send(text);
    shutdown(client.fd(), SHUT_WR);
  });
  std::this_thread::sleep_for(milliseconds(50));
  go = true;
  EXPECT_EQ(client.read_some(text.size() + 1), text);
  writer.join();
}

}  // namespace
}  // namespace sanduk::test
