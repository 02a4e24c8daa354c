// Answers on their way to the client: as they come, whole or visibly not.
#include <thread>

#include "relay/harness.h"

namespace sanduk::test {
namespace {

constexpr const char* body = R"({"model":"claude-x","max_tokens":100,"stream":true,"messages":[]})";

class StreamTest : public RelayTest {};

TEST_F(StreamTest, AStreamArrivesByteForByteAndIsCounted) {
  upstream().answer(ScriptedAnswer::events(anthropic_events()));
  start();
  const Reply reply = post(body);
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(reply.complete);
  EXPECT_EQ(reply.body, joined(anthropic_events()));
  EXPECT_EQ(call_line(record()), "POST /v1/messages -> 200 in=25 cache_write=3 cache_read=4 out=15");
  EXPECT_EQ(record().usage.total, 47);
  EXPECT_EQ(record().model, "claude-x");
}

TEST_F(StreamTest, TheFirstEventIsOutBeforeTheSecondIsIn) {
  upstream().answer(ScriptedAnswer::events(anthropic_events(), std::chrono::milliseconds(1000)));
  start();
  RawClient client = connect();
  client.send(request("POST", "/v1/messages", body));
  const auto begin = std::chrono::steady_clock::now();
  const std::string first = client.read_some(150);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(800)) << first;
  EXPECT_NE(first.find("text/event-stream"), std::string::npos);
}

TEST_F(StreamTest, ASizedAnswerKeepsItsLength) {
  upstream().answer(ScriptedAnswer::json(200, R"({"usage":{"input_tokens":7,"output_tokens":2}})"));
  start();
  const Reply reply = post(body);
  EXPECT_EQ(reply.header("content-length"), "46");
  EXPECT_TRUE(reply.complete);
  EXPECT_EQ(call_line(record()), "POST /v1/messages -> 200 in=7 out=2");
}

TEST_F(StreamTest, TheSameConnectionServesManyRequests) {
  upstream().answer(ScriptedAnswer::events(anthropic_events()));
  start();
  RawClient client = connect();
  for (int i = 0; i < 20; ++i) {
    client.send(request("POST", "/v1/messages", body));
    ASSERT_TRUE(client.read_reply().complete) << i;
  }
  EXPECT_EQ(upstream().connections(), 1U);
  EXPECT_EQ(upstream().requests().size(), 20U);
}

}  // namespace
}  // namespace sanduk::test
