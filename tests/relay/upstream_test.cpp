// The provider's side: broken answers, ends that come too early, connections that went stale, redirects.
#include <thread>

#include "relay/harness.h"

namespace sanduk::test {
namespace {

constexpr const char* body = R"({"model":"claude-x","max_tokens":100,"stream":true})";
constexpr const char* ok = "HTTP/1.1 200 OK\r\n";

struct AnswerCase {
  const char* name;
  ScriptedAnswer answer;
  int status;  // as the client gets it
  bool complete;
  std::string content;  // of a complete answer
};

ScriptedAnswer then_close(std::string bytes) { return ScriptedAnswer::raw(std::move(bytes)).close(); }
ScriptedAnswer then_reset(std::string bytes) { return ScriptedAnswer::raw(std::move(bytes)).reset(); }

std::string head(const std::string& headers) { return ok + headers + "\r\n"; }

const std::vector<AnswerCase>& cases() {
  static const std::vector<AnswerCase> list = {
      {"Sized", ScriptedAnswer::raw(head("content-length: 2\r\n") + "{}"), 200, true, "{}"},
      {"SizedZero", ScriptedAnswer::raw(head("content-length: 0\r\n")), 200, true, ""},
      {"Chunked", ScriptedAnswer::raw(head("transfer-encoding: chunked\r\n") + "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"), 200,
       true, "{}"},
      {"ChunkedWithTrailers",
       ScriptedAnswer::raw(head("transfer-encoding: chunked\r\n") + "2;a=b\r\n{}\r\n0\r\nX-A: b\r\n\r\n"), 200, true,
       "{}"},
      {"UntilClose", then_close(head("") + "{}"), 200, true, "{}"},
      {"Http10UntilClose", then_close("HTTP/1.0 200 OK\r\n\r\n{}"), 200, true, "{}"},
      {"NoContent", ScriptedAnswer::raw("HTTP/1.1 204 No Content\r\n\r\n"), 204, true, ""},
      {"NotModified", ScriptedAnswer::raw("HTTP/1.1 304 Not Modified\r\ncontent-length: 10\r\n\r\n"), 304, true, ""},
      {"NoReason", ScriptedAnswer::raw("HTTP/1.1 200\r\ncontent-length: 2\r\n\r\n{}"), 200, true, "{}"},
      {"EarlyHints",
       ScriptedAnswer::raw("HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + head("content-length: 2\r\n") + "{}"), 200,
       true, "{}"},
      {"Continue",
       ScriptedAnswer::raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" +
                           head("content-length: 2\r\n") + "{}"),
       200, true, "{}"},
      {"LongHeader", ScriptedAnswer::raw(head("x-a: " + std::string(30000, 'a') + "\r\ncontent-length: 2\r\n") + "{}"),
       200, true, "{}"},
      {"ManyHeaders",
       [] {
         std::string lines;
         for (int i = 0; i < 200; ++i) lines += "x-" + std::to_string(i) + ": a\r\n";
         return ScriptedAnswer::raw(head(lines + "content-length: 2\r\n") + "{}");
       }(),
       200, true, "{}"},
      {"HeadInPieces",
       ScriptedAnswer::raw("HTTP/1.1 200 O")
           .pause(std::chrono::milliseconds(20))
           .send("K\r\ncontent-length: 2\r\n\r")
           .pause(std::chrono::milliseconds(20))
           .send("\n{}"),
       200, true, "{}"},
      // Not whole, and not made to look so.
      {"SizedShortByOne", then_close(head("content-length: 3\r\n") + "{}"), 200, false, ""},
      {"SizedNothing", then_close(head("content-length: 3\r\n")), 200, false, ""},
      {"SizedReset", then_reset(head("content-length: 100000\r\n") + "{}"), 200, false, ""},
      {"ChunkedWithoutEnd", then_close(head("transfer-encoding: chunked\r\n") + "2\r\n{}\r\n"), 200, false, ""},
      {"ChunkedEndCut", then_close(head("transfer-encoding: chunked\r\n") + "2\r\n{}\r\n0\r\n"), 200, false, ""},
      {"ChunkedCutInChunk", then_close(head("transfer-encoding: chunked\r\n") + "5\r\n{}"), 200, false, ""},
      {"ChunkedBadSize", ScriptedAnswer::raw(head("transfer-encoding: chunked\r\n") + "2\r\n{}\r\nzz\r\n"), 200, false,
       ""},
      {"ChunkedBareLf", ScriptedAnswer::raw(head("transfer-encoding: chunked\r\n") + "2\n{}\n0\n\n"), 200, false, ""},
      {"UntilCloseReset", then_reset(head("") + "{}"), 200, false, ""},
      // Broken heads.
      {"BothLengths", ScriptedAnswer::raw(head("content-length: 2\r\ntransfer-encoding: chunked\r\n") + "{}"), 502,
       true, "-"},
      {"TwoLengths", ScriptedAnswer::raw(head("content-length: 2\r\ncontent-length: 2\r\n") + "{}"), 502, true, "-"},
      {"BadLength", ScriptedAnswer::raw(head("content-length: 2x\r\n") + "{}"), 502, true, "-"},
      {"OtherCoding", ScriptedAnswer::raw(head("transfer-encoding: gzip\r\n") + "{}"), 502, true, "-"},
      {"BareLf", ScriptedAnswer::raw("HTTP/1.1 200 OK\ncontent-length: 2\n\n{}"), 502, true, "-"},
      {"Folded", ScriptedAnswer::raw(head("x-a: b\r\n c\r\ncontent-length: 2\r\n") + "{}"), 502, true, "-"},
      {"NoColon", ScriptedAnswer::raw(head("x-a\r\ncontent-length: 2\r\n") + "{}"), 502, true, "-"},
      {"SpaceBeforeColon", ScriptedAnswer::raw(head("x-a : b\r\ncontent-length: 2\r\n") + "{}"), 502, true, "-"},
      {"ControlInHeader", ScriptedAnswer::raw(head("x-a: \x01\r\ncontent-length: 2\r\n") + "{}"), 502, true, "-"},
      {"BadVersion", ScriptedAnswer::raw("HTTP/2 200 OK\r\n\r\n"), 502, true, "-"},
      {"BadStatus", ScriptedAnswer::raw("HTTP/1.1 20 OK\r\n\r\n"), 502, true, "-"},
      {"StatusTooHigh", ScriptedAnswer::raw("HTTP/1.1 999 OK\r\n\r\n"), 502, true, "-"},
      {"NotHttp", ScriptedAnswer::raw("SSH-2.0-OpenSSH\r\n\r\n"), 502, true, "-"},
      {"SwitchingProtocols", ScriptedAnswer::raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n"), 502, true,
       "-"},
      {"InterimWithoutEnd",
       [] {
         std::string text;
         for (int i = 0; i < 50; ++i) text += "HTTP/1.1 103 Early Hints\r\n\r\n";
         return ScriptedAnswer::raw(text);
       }(),
       502, true, "-"},
      {"HeadTooLarge", ScriptedAnswer::raw(head("x-a: " + std::string(200000, 'a') + "\r\n")), 502, true, "-"},
      {"HeadCut", then_close("HTTP/1.1 200 OK\r\ncontent-le"), 502, true, "-"},
      {"Nothing", ScriptedAnswer().close(), 502, true, "-"},
      {"NothingReset", ScriptedAnswer().reset(), 502, true, "-"},
      {"Redirect301", ScriptedAnswer::raw("HTTP/1.1 301 Moved\r\nlocation: http://evil/\r\ncontent-length: 0\r\n\r\n"),
       502, true, "-"},
      {"Redirect302", ScriptedAnswer::raw("HTTP/1.1 302 Found\r\nlocation: /v1/other\r\ncontent-length: 0\r\n\r\n"),
       502, true, "-"},
      {"Redirect307", ScriptedAnswer::raw("HTTP/1.1 307 X\r\nlocation: https://evil/\r\ncontent-length: 0\r\n\r\n"),
       502, true, "-"},
      {"Redirect308", ScriptedAnswer::raw("HTTP/1.1 308 X\r\nlocation: https://evil/\r\ncontent-length: 0\r\n\r\n"),
       502, true, "-"},
  };
  return list;
}

class UpstreamAnswers : public RelayTest, public ::testing::WithParamInterface<AnswerCase> {};

TEST_P(UpstreamAnswers, ArriveAsWhatTheyAre) {
  const AnswerCase& one = GetParam();
  upstream().answer(one.answer);
  start();
  const Reply reply = post(body);
  EXPECT_EQ(reply.status, one.status);
  EXPECT_EQ(reply.complete, one.complete);
  if (one.content != "-" && one.complete) {
    EXPECT_EQ(reply.body, one.content);
  }
  EXPECT_FALSE(reply.has_header("location"));
  const CallRecord call = record();
  EXPECT_EQ(call.complete, one.complete);
  EXPECT_EQ(call.status, one.status);
  EXPECT_EQ(call.refusal, one.status == 502 ? "api_error" : "");
  stop();
  EXPECT_EQ(records().size(), 1U);
  EXPECT_EQ(upstream().requests().size(), 1U) << "sent again";
}

INSTANTIATE_TEST_SUITE_P(Provider, UpstreamAnswers, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

class UpstreamTest : public RelayTest {};

TEST_F(UpstreamTest, AnErrorOfTheProviderPassesUntouched) {
  const std::string words =
      R"({"type":"error","error":{"type":"rate_limit_error","message":"slow\n down"},"request_id":"r"})";
  upstream().answer(ScriptedAnswer::json(
      429, words,
      "retry-after: 7\r\nretry-after-ms: 7000\r\nx-should-retry: true\r\nrequest-id: r\r\n"
      "anthropic-ratelimit-requests-remaining: 0\r\nset-cookie: a=b\r\nconnection: x-hop\r\nx-hop: 1\r\n"
      "keep-alive: timeout=5\r\nproxy-authenticate: x\r\nalt-svc: h3\r\n"));
  start();
  const Reply reply = post(body);
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.body, words);
  EXPECT_EQ(reply.header("retry-after"), "7");
  EXPECT_EQ(reply.header("retry-after-ms"), "7000");
  EXPECT_EQ(reply.header("x-should-retry"), "true");
  EXPECT_EQ(reply.header("anthropic-ratelimit-requests-remaining"), "0");
  EXPECT_EQ(reply.header("request-id"), "r");
  for (const char* name : {"set-cookie", "x-hop", "keep-alive", "proxy-authenticate", "alt-svc"})
    EXPECT_FALSE(reply.has_header(name)) << name;
  EXPECT_EQ(call_line(record()), "POST /v1/messages -> 429");
}

TEST_F(UpstreamTest, AConnectionThatWasClosedWhileIdleIsNotUsed) {
  upstream().answer(ScriptedAnswer::json(200, "{}"));
  start();
  RawClient client = connect();
  for (int i = 0; i < 3; ++i) {
    client.send(request("POST", "/v1/messages", body));
    EXPECT_EQ(client.read_reply().status, 200);
    upstream().close_all();
  }
  EXPECT_EQ(upstream().requests().size(), 3U);
}

TEST_F(UpstreamTest, AReusedConnectionThatEndsWithoutAByteIsRetriedOnce) {
  upstream().answer_with([](const ScriptedRequest& one) {
    // The first connection takes a second request and drops it.
    static int on_first = 0;
    if (one.connection == 1 && ++on_first == 2) return ScriptedAnswer().close();
    return ScriptedAnswer::json(200, "{}");
  });
  start();
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(upstream().requests().size(), 3U);
  EXPECT_EQ(upstream().connections(), 2U);
}

TEST_F(UpstreamTest, AReusedConnectionThatEndsAfterAByteIsNotRetried) {
  upstream().answer_with([](const ScriptedRequest& one) {
    static int on_first = 0;
    if (one.connection == 1 && ++on_first == 2) return then_close("HTTP/1.1 2");
    return ScriptedAnswer::json(200, "{}");
  });
  start();
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(post(body).status, 502);
  EXPECT_EQ(upstream().requests().size(), 2U);
}

TEST_F(UpstreamTest, ANewConnectionIsNotRetried) {
  upstream().close_next(1);
  start();
  EXPECT_EQ(post(body).status, 502);
  EXPECT_EQ(upstream().connections(), 1U);
}

TEST_F(UpstreamTest, BytesBehindAnAnswerPoisonNoLaterOne) {
  upstream().answer(
      ScriptedAnswer::raw(head("content-length: 2\r\n") + "{}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil"));
  start();
  EXPECT_EQ(post(body).body, "{}");
  EXPECT_EQ(post(body).body, "{}");
  EXPECT_EQ(upstream().connections(), 2U);
}

TEST_F(UpstreamTest, UnaskedBytesOnAnIdleConnectionPoisonNoLaterAnswer) {
  upstream().answer(ScriptedAnswer::json(200, "{}")
                        .pause(std::chrono::milliseconds(50))
                        .send("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil"));
  start();
  EXPECT_EQ(post(body).body, "{}");
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  EXPECT_EQ(post(body).body, "{}");
}

TEST_F(UpstreamTest, AConnectionThatSaysCloseIsNotKept) {
  upstream().answer(ScriptedAnswer::json(200, "{}", "connection: close\r\n"));
  start();
  post(body);
  post(body);
  EXPECT_EQ(upstream().connections(), 2U);
}

TEST_F(UpstreamTest, AnEarlyRefusalOfALargeBodyArrives) {
  upstream().answer_at_head(true);
  upstream().answer(then_close("HTTP/1.1 413 Too Large\r\ncontent-length: 4\r\nconnection: close\r\n\r\nbig!"));
  start();
  const Reply reply = post(R"({"model":"claude-x","max_tokens":1,"x":")" + std::string(10 << 20, 'a') + "\"}");
  // The provider may reset before its words arrive; it must never hang or look like a success.
  EXPECT_TRUE(reply.status == 413 || reply.status == 502) << reply.status;
}

TEST_F(UpstreamTest, NobodyThereIsSaidInWords) {
  plan.upstream = Upstream{"http", "127.0.0.1", 1};
  start();
  const Reply reply = post(body);
  EXPECT_EQ(reply.status, 502);
  EXPECT_NE(reply.body.find("cannot connect to 127.0.0.1:1"), std::string::npos) << reply.body;
  EXPECT_EQ(reply.body.find(real_key), std::string::npos);
}

TEST_F(UpstreamTest, AnUnknownNameIsSaidInWords) {
  plan.upstream = Upstream{"https", "no-such-host.invalid", 443};
  settings.limits.connect_total = std::chrono::seconds(3);
  start();
  const Reply reply = post(body);
  EXPECT_EQ(reply.status, 502);
  EXPECT_NE(reply.body.find("no-such-host.invalid"), std::string::npos) << reply.body;
}

TEST_F(UpstreamTest, TheKeyDoesNotCrossTheNetworkInPlainText) {
  plan.upstream = Upstream{"http", "192.0.2.1", 80};
  start();
  const Reply reply = post(body);
  EXPECT_EQ(reply.status, 502);
  EXPECT_NE(reply.body.find("plain text"), std::string::npos) << reply.body;
}

TEST_F(UpstreamTest, TheSecondAddressIsTriedWhenTheFirstIsDead) {
  // "localhost" is ::1 and 127.0.0.1; nobody listens on ::1.
  plan.upstream = Upstream{"http", "localhost", upstream().port()};
  start();
  EXPECT_EQ(post(body).status, 200);
}

TEST_F(UpstreamTest, AKeyThatIsRefusedAgainAndAgainStopsTheRun) {
  upstream().answer(ScriptedAnswer::json(401, "{}"));
  start();
  post(body);
  post(body);
  EXPECT_TRUE(stops().empty());
  post(body);
  ASSERT_EQ(stops().size(), 1U);
  EXPECT_EQ(stops()[0].first, "key-refused");
}

TEST_F(UpstreamTest, PrewarmOpensTheConnectionOfTheFirstCall) {
  start();
  relay().prewarm();
  ASSERT_TRUE(upstream().wait_until_open(1));
  post(body);
  EXPECT_EQ(upstream().connections(), 1U);
}

}  // namespace
}  // namespace sanduk::test
