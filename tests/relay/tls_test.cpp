// Real TLS towards the provider, with certificates that are right and wrong in every way.
#include <openssl/ssl.h>

#include <fstream>

#include "diagnostics/diagnostic.h"
#include "relay/harness.h"

namespace sanduk::test {
namespace {

constexpr const char* body = R"({"model":"claude-x","max_tokens":100,"stream":true})";

class TlsTest : public RelayTest {
 protected:
  void expect_refused(const std::string& words) {
    start();
    const Reply reply = post(body);
    EXPECT_EQ(reply.status, 502);
    EXPECT_NE(reply.body.find(words), std::string::npos) << reply.body;
    EXPECT_EQ(upstream().requests().size(), 0U) << "the request, and the key, went out";
  }
};

TEST_F(TlsTest, AGoodCertificateForTheNameIsTaken) {
  use_tls(trusted_authority().issue({"DNS:localhost"}));
  upstream().answer(ScriptedAnswer::events(anthropic_events()));
  start();
  EXPECT_EQ(post(body).body, joined(anthropic_events()));
  EXPECT_EQ(upstream().server_name(), "localhost");
  EXPECT_EQ(upstream().requests()[0].header("x-api-key"), real_key);
  EXPECT_EQ(call_line(record()), "POST /v1/messages -> 200 in=25 cache_write=3 cache_read=4 out=15");
}

TEST_F(TlsTest, AGoodCertificateForTheAddressIsTaken) {
  use_tls(trusted_authority().issue({"IP:127.0.0.1"}), "127.0.0.1");
  start();
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(upstream().server_name(), "") << "an address is no server name";
}

TEST_F(TlsTest, AWildcardIsTaken) {
  // Resolves to this machine wherever names under "localhost" do; else the name is unknown, which is no fault here.
  use_tls(trusted_authority().issue({"DNS:*.localhost"}), "api.localhost");
  start();
  const Reply reply = post(body);
  EXPECT_TRUE(reply.status == 200 || reply.body.find("resolve") != std::string::npos) << reply.body;
}

TEST_F(TlsTest, ConnectionsAreKept) {
  use_tls(trusted_authority().issue({"DNS:localhost"}));
  start();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(upstream().connections(), 1U);
}

TEST_F(TlsTest, LargeBodiesPassBothWays) {
  use_tls(trusted_authority().issue({"DNS:localhost"}));
  const std::string large(3 << 20, 'y');
  upstream().answer(ScriptedAnswer::json(200, large));
  start();
  const std::string sent = R"({"model":"m","max_tokens":1,"x":")" + large + "\"}";
  EXPECT_EQ(post(sent).body, large);
  EXPECT_EQ(upstream().requests()[0].body, sent);
}

TEST_F(TlsTest, AStaleConnectionIsNotUsed) {
  use_tls(trusted_authority().issue({"DNS:localhost"}));
  start();
  EXPECT_EQ(post(body).status, 200);
  upstream().close_all();
  EXPECT_EQ(post(body).status, 200);
}

TEST_F(TlsTest, ALaterConnectionResumesTheSession) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ScriptedTls tls = trusted_authority().issue({"DNS:localhost"});
    tls.newest_version = version;
    use_tls(tls);
    upstream().answer(ScriptedAnswer::json(200, "{}").close());
    start();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(post(body).status, 200);
    EXPECT_EQ(upstream().connections(), 3U);
    EXPECT_EQ(upstream().resumed(), 2U) << std::hex << version;
    stop();
  }
}

// With TLS 1.3 the server's tickets come unasked, behind the handshake.
TEST_F(TlsTest, AWarmConnectionIsTheFirstThatIsUsed) {
  use_tls(trusted_authority().issue({"DNS:localhost"}));
  start();
  relay().prewarm();
  ASSERT_TRUE(upstream().wait_until_open(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the handshake, and the tickets
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(upstream().connections(), 1U);
}

TEST_F(TlsTest, AnAuthoritiesFileWithoutACertificateStopsTheRelayAtStart) {
  const std::string good = trusted_authority().certificate_file();
  use_tls(trusted_authority().issue({"DNS:localhost"}));
  const std::string empty = directory() + "/empty.pem";
  std::ofstream(empty) << "no certificate\n";
  for (const std::string& file : {empty, directory() + "/missing.pem"}) {
    setenv("SSL_CERT_FILE", file.c_str(), 1);
    try {
      start();
      ADD_FAILURE() << "started with " << file;
    } catch (const RunError& problem) {
      EXPECT_EQ(problem.diagnostic.code, "tls-not-ready");
      EXPECT_NE(problem.diagnostic.message.find(file), std::string::npos) << problem.diagnostic.message;
    }
  }
  setenv("SSL_CERT_FILE", good.c_str(), 1);
}

TEST_F(TlsTest, AnOtherNameIsRefused) {
  use_tls(trusted_authority().issue({"DNS:api.anthropic.com"}));
  expect_refused("not for localhost");
}

TEST_F(TlsTest, ANameForAnAddressIsRefused) {
  use_tls(trusted_authority().issue({"DNS:127.0.0.1", "DNS:localhost"}), "127.0.0.1");
  expect_refused("not for 127.0.0.1");
}

TEST_F(TlsTest, AnOtherAddressIsRefused) {
  use_tls(trusted_authority().issue({"IP:127.0.0.2"}), "127.0.0.1");
  expect_refused("not for 127.0.0.1");
}

TEST_F(TlsTest, AnUnknownAuthorityIsRefused) {
  TestAuthority other;
  use_tls(other.issue({"DNS:localhost"}));
  expect_refused("TLS failed");
}

TEST_F(TlsTest, ASelfSignedCertificateIsRefused) {
  use_tls(trusted_authority().issue_self_signed({"DNS:localhost"}));
  expect_refused("TLS failed");
}

TEST_F(TlsTest, AnExpiredCertificateIsRefused) {
  use_tls(trusted_authority().issue({"DNS:localhost"}, 0));
  expect_refused("TLS failed");
}

TEST_F(TlsTest, AnOldVersionIsRefused) {
  ScriptedTls tls = trusted_authority().issue({"DNS:localhost"});
  tls.newest_version = TLS1_1_VERSION;
  use_tls(tls);
  expect_refused("TLS failed");
}

TEST_F(TlsTest, Version12IsTaken) {
  ScriptedTls tls = trusted_authority().issue({"DNS:localhost"});
  tls.newest_version = TLS1_2_VERSION;
  use_tls(tls);
  start();
  EXPECT_EQ(post(body).status, 200);
}

TEST_F(TlsTest, APlainServerIsRefused) {
  plan.upstream = Upstream{"https", "localhost", upstream().port()};
  settings.limits.handshake = std::chrono::milliseconds(300);
  expect_refused("TLS");
}

TEST_F(TlsTest, AnEndWithoutGoodbyeIsNotTakenForTheWhole) {
  use_tls(trusted_authority().issue({"DNS:localhost"}));
  upstream().answer(ScriptedAnswer::raw("HTTP/1.1 200 OK\r\n\r\n{\"a\":1}").reset());
  start();
  EXPECT_FALSE(post(body).complete);
}

TEST_F(TlsTest, AnEndWithGoodbyeIs) {
  use_tls(trusted_authority().issue({"DNS:localhost"}));
  upstream().answer(ScriptedAnswer::raw("HTTP/1.1 200 OK\r\n\r\n{\"a\":1}").close());
  start();
  EXPECT_TRUE(post(body).complete);
}

TEST_F(TlsTest, WhenTheClientLeavesTheProviderIsLeft) {
  use_tls(trusted_authority().issue({"DNS:localhost"}));
  upstream().answer(
      ScriptedAnswer::raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").chunk("x").wait_for_peer_close());
  start();
  {
    RawClient client = connect();
    client.send(request("POST", "/v1/messages", body));
    client.read_some(10);
  }
  EXPECT_TRUE(upstream().wait_until_open(0, std::chrono::milliseconds(1000)));
}

TEST_F(TlsTest, ASilentHandshakeIsGivenUp) {
  plan.upstream = Upstream{"https", "localhost", upstream().port()};
  settings.limits.handshake = std::chrono::milliseconds(100);
  start();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(post(body).status, 502);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

}  // namespace
}  // namespace sanduk::test
