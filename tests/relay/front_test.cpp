// The front in motion: bodies, waits, versions, sockets.
#include <unistd.h>

#include <functional>

#include "diagnostics/diagnostic.h"
#include "relay/harness.h"

namespace sanduk::test {
namespace {

constexpr const char* auth = "x-api-key: run-token-0123456789\r\n";
constexpr const char* host = "Host: relay\r\n";

std::string with(const std::string& line, const std::string& headers, const std::string& body = "") {
  return line + "\r\n" + headers + "\r\n" + body;
}

std::string post_line() { return "POST /v1/messages HTTP/1.1"; }

std::string post_with(const std::string& headers, const std::string& body = "{}") {
  return with(post_line(), std::string(host) + auth + headers, body);
}

std::string get(const std::string& target, const std::string& more = "") {
  return with("GET " + target + " HTTP/1.1", std::string(host) + auth + more);
}

const std::string judged = R"({"model":"m","max_tokens":1})";
const std::string judged_size = std::to_string(judged.size());

class FrontTest : public RelayTest {};

TEST_F(FrontTest, AChunkedBodyGoesOnWithALengthAndWithoutTrailers) {
  start();
  ask(post_with("Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n",
                "c\r\n" + judged.substr(0, 12) + "\r\n10\r\n" + judged.substr(12) + "\r\n0\r\nX-Sum: 1\r\n\r\n"));
  ASSERT_TRUE(upstream().wait_for_requests(1));
  const ScriptedRequest seen = upstream().requests()[0];
  EXPECT_EQ(seen.body, judged);
  EXPECT_EQ(seen.header("content-length"), judged_size);
  EXPECT_FALSE(seen.has_header("transfer-encoding"));
  EXPECT_FALSE(seen.has_header("trailer"));
  EXPECT_FALSE(seen.has_header("x-sum"));
}

TEST_F(FrontTest, PipelinedRequestsAreAnsweredInOrder) {
  upstream().answer_with([](const ScriptedRequest& one) { return ScriptedAnswer::json(200, one.target()); });
  start();
  RawClient client = connect();
  client.send(get("/v1/models?a=1") + post_with("Content-Length: " + judged_size + "\r\n", judged) +
              get("/v1/models?a=3"));
  EXPECT_EQ(client.read_reply().body, "/v1/models?a=1");
  EXPECT_EQ(client.read_reply().body, "/v1/messages");
  EXPECT_EQ(client.read_reply().body, "/v1/models?a=3");
}

TEST_F(FrontTest, AHeadMayComeByteByByte) {
  start();
  RawClient client = connect();
  for (const char c : get("/v1/models")) ASSERT_TRUE(client.send(std::string(1, c)));
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST_F(FrontTest, ContinueIsSaidOnlyToWhatIsAccepted) {
  start();
  RawClient good = connect();
  good.send(post_with("Content-Length: " + judged_size + "\r\nExpect: 100-continue\r\n", ""));
  EXPECT_EQ(good.read_some(25), "HTTP/1.1 100 Continue\r\n\r\n");
  good.send(judged);
  EXPECT_EQ(good.read_reply().status, 200);

  RawClient bad = connect();
  bad.send(with(post_line(), "Host: relay\r\nx-api-key: wrong\r\nContent-Length: 28\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(bad.read_some(12), "HTTP/1.1 401");

  RawClient large = connect();
  large.send(post_with("Content-Length: 99999999\r\nExpect: 100-continue\r\n", ""));
  EXPECT_EQ(large.read_some(12), "HTTP/1.1 413");
}

TEST_F(FrontTest, ARefusalArrivesWhileALargeBodyIsStillComing) {
  settings.limits.drain_total = std::chrono::seconds(5);
  start();
  RawClient client = connect();
  client.send(with(post_line(), "Host: relay\r\nx-api-key: wrong\r\nContent-Length: 20000000\r\n"));
  client.send(std::string(20000000, 'x'));
  EXPECT_EQ(client.read_reply().status, 401);
}

TEST_F(FrontTest, ABodyAtTheBoundIsTaken) {
  settings.limits.body_bytes = judged.size();
  start();
  EXPECT_EQ(post(judged).status, 200);
  EXPECT_EQ(post(judged + " ").status, 413);
  const Reply chunked = ask(post_with("Transfer-Encoding: chunked\r\n", "1d\r\n" + judged + " \r\n0\r\n\r\n"));
  EXPECT_EQ(chunked.status, 413);
}

TEST_F(FrontTest, AllBodiesTogetherAreBounded) {
  settings.limits.all_bodies = 40000;
  start();
  RawClient holder = connect();
  holder.send(post_with("Content-Length: 30000\r\n", "{"));
  Reply reply;
  for (int i = 0; i < 200 && reply.status != 503; ++i) {
    reply = ask(post_with("Content-Length: 20000\r\n", std::string(20000, ' ')));
  }
  EXPECT_EQ(reply.status, 503);
  holder.close();
  for (int i = 0; i < 200 && reply.status != 200; ++i) reply = post(judged + std::string(20000, ' '));
  EXPECT_EQ(reply.status, 200) << "given back";
}

TEST_F(FrontTest, AnIdleConnectionIsClosedWithoutAWord) {
  settings.limits.client_idle = std::chrono::milliseconds(50);
  start();
  RawClient client = connect();
  EXPECT_EQ(client.read_some(1), "");
  EXPECT_TRUE(client.wait_until_closed());
  stop();
  EXPECT_TRUE(records().empty());
}

TEST_F(FrontTest, AHeadThatStallsIsRefused) {
  settings.limits.head_idle = std::chrono::milliseconds(50);
  start();
  EXPECT_EQ(ask("GET /v1/models HTTP/1.1\r\nHost: re").status, 408);
}

TEST_F(FrontTest, AHeadThatDripsIsRefused) {
  settings.limits.head_idle = std::chrono::milliseconds(100);
  settings.limits.head_total = std::chrono::milliseconds(200);
  start();
  RawClient client = connect();
  const auto begin = std::chrono::steady_clock::now();
  client.send("GET /v1/models HTTP/1.1\r\n");
  for (int i = 0; i < 40 && client.read_some(1, std::chrono::milliseconds(20)).empty(); ++i) client.send("X-A: b\r\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(700));
  EXPECT_EQ(record().status, 408);
}

TEST_F(FrontTest, ABodyThatStallsIsRefused) {
  settings.limits.body_idle = std::chrono::milliseconds(50);
  start();
  EXPECT_EQ(ask(post_with("Content-Length: 20\r\n", "{")).status, 408);
  EXPECT_EQ(ask(post_with("Transfer-Encoding: chunked\r\n", "5\r\n{")).status, 408);
}

TEST_F(FrontTest, ABodyThatIsCutReachesNobody) {
  start();
  RawClient client = connect();
  client.send(post_with("Content-Length: 20\r\n", "{"));
  client.close();
  const CallRecord call = record();
  EXPECT_EQ(call.status, 0);
  EXPECT_FALSE(call.complete);
  EXPECT_EQ(upstream().requests().size(), 0U);
}

TEST_F(FrontTest, AnswersToHttp10AreNotChunked) {
  upstream().answer(ScriptedAnswer::events(anthropic_events()));
  start();
  RawClient client = connect();
  client.send(with("POST /v1/messages HTTP/1.0",
                   std::string(auth) + "Connection: keep-alive\r\nContent-Length: " + judged_size + "\r\n", judged));
  const Reply reply = client.read_reply();
  EXPECT_FALSE(reply.has_header("transfer-encoding"));
  EXPECT_EQ(reply.header("connection"), "close");
  EXPECT_TRUE(reply.complete);
  EXPECT_EQ(reply.body, joined(anthropic_events()));
}

TEST_F(FrontTest, AnHttp10ClientMayKeepItsConnection) {
  upstream().answer(ScriptedAnswer::json(200, "{}"));
  start();
  RawClient client = connect();
  for (int i = 0; i < 2; ++i) {
    client.send(with("GET /v1/models HTTP/1.0", std::string(auth) + "Connection: Keep-Alive\r\n"));
    EXPECT_EQ(client.read_reply().header("connection"), "keep-alive");
  }
}

TEST_F(FrontTest, AClientThatSaysCloseIsClosed) {
  start();
  RawClient client = connect();
  client.send(get("/v1/models", "Connection: TE, close\r\n"));
  EXPECT_EQ(client.read_reply().header("connection"), "close");
  EXPECT_TRUE(client.wait_until_closed());
}

TEST_F(FrontTest, HeadGetsNoBody) {
  upstream().answer(ScriptedAnswer::raw("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"));
  start();
  RawClient client = connect();
  client.send(with("HEAD /v1/models HTTP/1.1", std::string(host) + auth));
  const Reply reply = client.read_reply(true);
  EXPECT_EQ(reply.header("content-length"), "1000");
  client.send(with("HEAD /nowhere HTTP/1.1", std::string(host) + auth));
  EXPECT_EQ(client.read_reply(true).status, 403);
  EXPECT_EQ(client.read_some(1), "");
}

TEST_F(FrontTest, AUnixSocketServesTheSame) {
  start();
  const std::string path = directory() + "/relay.sock";
  relay().listen_unix(path);
  EXPECT_EQ(relay().url(), "unix:" + path);
  RawClient client = RawClient::to_path(path);
  client.send(get("/v1/models"));
  EXPECT_EQ(client.read_reply().status, 200);
  stop();
  EXPECT_NE(access(path.c_str(), F_OK), 0) << "the socket is left behind";
}

std::string code_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const RunError& problem) {
    return problem.diagnostic.code;
  }
  return "none";
}

TEST_F(FrontTest, ASocketPathThatCannotBeUsedIsSaid) {
  start();
  const int taken = port();
  const std::string path = directory() + "/taken";
  relay().listen_unix(path);
  for (const std::string& bad : {"/tmp/" + std::string(200, 'a'), directory() + "/none/relay.sock", path}) {
    EXPECT_EQ(code_of([&] { relay().listen_unix(bad); }), "cannot-listen") << bad;
  }
  EXPECT_EQ(code_of([&] { relay().listen_tcp("127.0.0.1", taken); }), "cannot-listen");
  EXPECT_EQ(code_of([&] { relay().listen_tcp("not-an-address", 0); }), "cannot-listen");
}

}  // namespace
}  // namespace sanduk::test
