// Recorded answers in place of a provider, and recordings of one.
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "base/text.h"
#include "diagnostics/diagnostic.h"
#include "relay/base64.h"
#include "relay/cassette.h"
#include "relay/harness.h"

namespace sanduk::test {
namespace {

const std::string ask_plain = R"({"model":"claude-x","max_tokens":10,"messages":[]})";
const std::string ask_tools = R"({"model":"claude-x","max_tokens":10,"tools":[{"name":"Bash"}],"messages":[]})";
const std::string ask_result =
    R"({"model":"claude-x","max_tokens":10,"stream":true,"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":[{"type":"tool_result"}]}]})";

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class ReplayTest : public RelayTest {};

TEST_F(ReplayTest, EntriesAreUsedInOrderByWhatTheyAskFor) {
  use_cassette(R"({"route":"POST /v1/messages","when":{"tool_result":true,"stream":true},"body":{"n": "result"}}
{"route":"POST /v1/messages","when":{"tools":true},"body":{"n":  "tools"}}

{"route":"POST /v1/messages","body":"plain text","headers":{"content-type":"text/plain","x-a":["1","2"]}}
{"route":"GET /v1/models","body":{"data":[]},"repeat":true}
)");
  start();
  EXPECT_EQ(post(ask_tools).body, R"({"n":  "tools"})") << "as it stands in the file";
  EXPECT_EQ(post(ask_result).body, R"({"n": "result"})");
  const Reply plain = post(ask_plain);
  EXPECT_EQ(plain.body, "plain text");
  EXPECT_EQ(plain.header("content-type"), "text/plain");
  EXPECT_NE(plain.head.find("x-a: 1\r\nx-a: 2\r\n"), std::string::npos);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(request("GET", "/v1/models", "")).body, R"({"data":[]})");
  EXPECT_EQ(ask(request("HEAD", "/v1/models", ""), true).status, 200);
}

TEST_F(ReplayTest, EventsStreamWithTheirDelaysAndAreCounted) {
  use_cassette(
      R"({"route":"POST /v1/messages","events":[{"event":"message_start","data":{"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}},{"event":"message_delta","data":{"usage":{"output_tokens":5}},"delay_ms":200},{"data":"[DONE]"}]})");
  start();
  RawClient client = connect();
  const auto begin = std::chrono::steady_clock::now();
  client.send(request("POST", "/v1/messages", ask_plain));
  client.read_some(20);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(150));
  const Reply reply = [&] {
    RawClient& rest = client;
    rest.read_some(1000, std::chrono::milliseconds(400));
    return Reply{};
  }();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(200));
  EXPECT_EQ(call_line(record()), "POST /v1/messages -> 200 in=7 out=5");
}

TEST_F(ReplayTest, EventsHaveTheirShape) {
  use_cassette(
      R"({"route":"POST /v1/messages","events":[{"event":"a","data":{"x":1}},{"data":"two\nlines"},{"event":"b"}]})");
  start();
  const Reply reply = post(ask_plain);
  EXPECT_EQ(reply.header("content-type"), "text/event-stream");
  EXPECT_EQ(reply.body, "event: a\ndata: {\"x\":1}\n\ndata: two\ndata: lines\n\nevent: b\n\n");
}

TEST_F(ReplayTest, AMissIsRefusedInWordsAndStopsTheRun) {
  use_cassette(R"({"route":"POST /v1/messages","when":{"model":"other"},"body":{}})");
  start();
  const Reply reply = post(ask_tools);
  EXPECT_EQ(reply.status, 422);
  EXPECT_EQ(reply.header("x-should-retry"), "false");
  EXPECT_NE(reply.body.find("POST /v1/messages (model claude-x, not streamed, with tools)"), std::string::npos)
      << reply.body;
  ASSERT_EQ(stops().size(), 1U);
  EXPECT_EQ(stops()[0].first, "cassette-miss");
}

TEST_F(ReplayTest, AnEntryIsUsedOnce) {
  use_cassette(R"({"route":"POST /v1/messages","body":{}})");
  start();
  EXPECT_EQ(post(ask_plain).status, 200);
  EXPECT_EQ(post(ask_plain).status, 422);
}

TEST_F(ReplayTest, ThePolicyAndTheTokenHold) {
  plan.models = std::vector<std::string>{"claude-y"};
  use_cassette(R"({"route":"POST /v1/messages","body":{},"repeat":true})");
  start();
  EXPECT_EQ(post(ask_plain).status, 403);
  EXPECT_EQ(post(R"({"model":"claude-y"})", "x-api-key: wrong\r\n").status, 401);
  EXPECT_EQ(post(R"({"model":"claude-y"})").status, 200);
}

TEST_F(ReplayTest, StatusHeadersAndCutsAreKept) {
  use_cassette(R"({"route":"POST /v1/messages","status":529,"headers":{"retry-after":"3"},"body":{"e":1}}
{"route":"POST /v1/messages","events":[{"data":"x"}],"cut":true}
{"route":"POST /v1/messages","body_base64":"AAEC/w=="}
)");
  start();
  const Reply first = post(ask_plain);
  EXPECT_EQ(first.status, 529);
  EXPECT_EQ(first.header("retry-after"), "3");
  EXPECT_FALSE(post(ask_plain).complete);
  EXPECT_EQ(post(ask_plain).body, std::string("\0\1\2\xff", 4));
}

TEST_F(ReplayTest, AClientThatLeavesEndsTheReplay) {
  use_cassette(R"({"route":"POST /v1/messages","events":[{"data":"x"},{"data":"y","delay_ms":600000}]})");
  start();
  {
    RawClient client = connect();
    client.send(request("POST", "/v1/messages", ask_plain));
    client.read_some(10);
  }
  EXPECT_EQ(record().why, "the client left");
}

TEST_F(ReplayTest, ARecordingGivesTheSameBytesAgain) {
  settings.log.record_file = directory() + "/recording.jsonl";
  const std::string packed = gzip(joined(anthropic_events()), true);
  ScriptedAnswer slow = ScriptedAnswer::raw(
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\nrequest-id: r1\r\nset-cookie: "
      "a=b\r\n"
      "transfer-encoding: chunked\r\n\r\n");
  for (std::size_t at = 0; at < packed.size(); at += 40)
    slow.chunk(packed.substr(at, 40)).pause(std::chrono::milliseconds(5));
  upstream().answer(slow.send("0\r\n\r\n"));
  upstream().answer(ScriptedAnswer::json(
      429, "no\xff", "retry-after: 9\r\nx-a: 1\r\nx-a: 2\r\nx-echo: " + std::string(real_key) + "\r\n"));
  upstream().answer(ScriptedAnswer::raw("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc").close());
  start();
  std::vector<Reply> live;
  for (const std::string& question : {ask_result, ask_plain, ask_plain})
    live.push_back(post(question, "Accept-Encoding: gzip\r\n"));
  post("{");  // refused: not recorded
  stop();

  const std::string recording = file_text(settings.log.record_file);
  struct stat status {};
  ASSERT_EQ(stat(settings.log.record_file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(recording.find(real_key), std::string::npos);
  EXPECT_EQ(recording.find(run_token), std::string::npos);
  EXPECT_EQ(recording.find("set-cookie"), std::string::npos);

  settings.log.record_file.clear();
  use_cassette(recording);
  start();
  std::vector<Reply> again;
  for (const std::string& question : {ask_result, ask_plain, ask_plain})
    again.push_back(post(question, "Accept-Encoding: gzip\r\n"));
  for (std::size_t i = 0; i < live.size(); ++i) {
    EXPECT_EQ(again[i].status, live[i].status) << i;
    EXPECT_EQ(again[i].body, live[i].body) << i;
    EXPECT_EQ(again[i].complete, live[i].complete) << i;
    for (const char* name : {"content-type", "content-encoding", "request-id", "retry-after", "content-length",
                             "transfer-encoding", "x-a"}) {
      EXPECT_EQ(again[i].header(name), live[i].header(name)) << i << name;
    }
  }
  EXPECT_TRUE(live[0].complete);
  EXPECT_EQ(call_line(record(5)), call_line(record(1)));
}

TEST_F(ReplayTest, ARecordingReplacesNoFile) {
  settings.log.record_file = directory() + "/there";
  std::ofstream(settings.log.record_file) << "mine";
  try {
    start();
    FAIL() << "it was taken";
  } catch (const RunError& problem) {
    EXPECT_EQ(problem.diagnostic.code, "cannot-record");
  }
  EXPECT_EQ(file_text(settings.log.record_file), "mine");
}

struct BadCassette {
  const char* name;
  std::string text;
  std::size_t line;
  std::size_t column;
  const char* words;
};

class CassetteFault : public ::testing::TestWithParam<BadCassette> {};

TEST_P(CassetteFault, IsSaidWithItsPlace) {
  try {
    parse_cassette("tape.jsonl", GetParam().text);
    FAIL() << "taken";
  } catch (const RunError& problem) {
    EXPECT_EQ(problem.failure, Failure::profile);
    EXPECT_EQ(problem.diagnostic.code, "bad-cassette");
    EXPECT_NE(problem.diagnostic.message.find(GetParam().words), std::string::npos) << problem.diagnostic.message;
    ASSERT_EQ(problem.diagnostic.labels.size(), 1U);
    EXPECT_EQ(problem.diagnostic.labels[0].span.line, GetParam().line);
    EXPECT_EQ(problem.diagnostic.labels[0].span.column, GetParam().column);
    EXPECT_EQ(problem.diagnostic.labels[0].span.source->name, "tape.jsonl");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Replay, CassetteFault,
    ::testing::Values(
        BadCassette{"Empty", "\n \n", 0, 0, "holds no answer"},
        BadCassette{"NotJson", "{\"route\":\"POST /a\"}\nnope\n", 2, 1, "not a JSON object"},
        BadCassette{"Cut", "{\"route\":\"POST /a\",", 1, 20, "expected a string"},
        BadCassette{"NoRoute", "{\"body\":{}}", 1, 1, "no \"route\""},
        BadCassette{"UnknownKey", "{\"route\":\"POST /a\",\"bodi\":{}}", 1, 20, "unknown key \"bodi\""},
        BadCassette{"UnknownCondition", "{\"route\":\"POST /a\",\"when\":{\"tool\":true}}", 1, 28,
                    "unknown key \"tool\""},
        BadCassette{"KeyTwice", "{\"route\":\"POST /a\",\"route\":\"POST /a\"}", 1, 20, "stands twice"},
        BadCassette{"RouteWithoutMethod", "{\"route\":\"/v1/messages\"}", 1, 10, "a route is a method and a path"},
        BadCassette{"RouteWithQuery", "{\"route\":\"GET /v1/models?a\"}", 1, 10, "a route is a method and a path"},
        BadCassette{"RouteNumber", "{\"route\":1}", 1, 10, "text is expected"},
        BadCassette{"StatusText", "{\"route\":\"POST /a\",\"status\":\"200\"}", 1, 29,
                    "a whole number from 200 to 599"},
        BadCassette{"StatusTooLow", "{\"route\":\"POST /a\",\"status\":100}", 1, 29, "a whole number from 200 to 599"},
        BadCassette{"TwoBodies", "{\"route\":\"POST /a\",\"body\":1,\"events\":[]}", 1, 1, "more than one of body"},
        BadCassette{"EventsNoList", "{\"route\":\"POST /a\",\"events\":{}}", 1, 29, "a list is expected"},
        BadCassette{"EventNoObject", "{\"route\":\"POST /a\",\"events\":[1]}", 1, 30, "an object is expected"},
        BadCassette{"EventUnknownKey", "{\"route\":\"POST /a\",\"events\":[{\"date\":1}]}", 1, 31,
                    "unknown key \"date\""},
        BadCassette{"DelayNegative", "{\"route\":\"POST /a\",\"events\":[{\"delay_ms\":-1}]}", 1, 42,
                    "a whole number from 0"},
        BadCassette{"BadBase64", "{\"route\":\"POST /a\",\"body_base64\":\"a\"}", 1, 34, "broken base64"},
        BadCassette{"HeaderWithBreak", "{\"route\":\"POST /a\",\"headers\":{\"a\":\"b\\r\\nc: d\"}}", 1, 31,
                    "cannot be sent"},
        BadCassette{"HeaderNumber", "{\"route\":\"POST /a\",\"headers\":{\"a\":1}}", 1, 35, "text is expected"},
        BadCassette{"ColumnsAreCharacters", "{\"route\":\"POST /\xC3\xA4\",\"x\":1}", 1, 20, "unknown key \"x\""},
        BadCassette{"RepeatText", "{\"route\":\"POST /a\",\"repeat\":\"yes\"}", 1, 29, "true or false"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Base64, IsStrictAndTrue) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (std::size_t size = 0; size <= all.size(); ++size) {
    EXPECT_EQ(decode_base64(encode_base64(all.substr(0, size))), all.substr(0, size));
  }
  EXPECT_EQ(encode_base64("any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
  for (const char* bad : {"a", "ab", "abc", "a===", "====", "ab=c", "ab==cdef", "ab c", "ab\n=", "abc=d"}) {
    EXPECT_EQ(decode_base64(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace sanduk::test
