// Silence, slow readers, and who is left when somebody leaves.
#include <thread>

#include "relay/harness.h"

namespace sanduk::test {
namespace {

constexpr const char* body = R"({"model":"claude-x","max_tokens":100,"stream":true})";

std::string head(const std::string& headers) { return "HTTP/1.1 200 OK\r\n" + headers + "\r\n"; }

class WaitingTest : public RelayTest {};

TEST_F(WaitingTest, ASilentProviderIsGivenUp) {
  settings.limits.answer_idle = std::chrono::milliseconds(80);
  upstream().answer(ScriptedAnswer().wait_for_peer_close());
  start();
  EXPECT_EQ(post(body).status, 502);
  EXPECT_TRUE(upstream().wait_until_open(0));
}

TEST_F(WaitingTest, AProviderThatFallsSilentIsCutVisibly) {
  settings.limits.answer_idle = std::chrono::milliseconds(80);
  upstream().answer(
      ScriptedAnswer::raw(head("transfer-encoding: chunked\r\n")).chunk("data: {}\n\n").wait_for_peer_close());
  start();
  const Reply reply = post(body);
  EXPECT_EQ(reply.body, "data: {}\n\n");
  EXPECT_FALSE(reply.complete);
  EXPECT_NE(call_line(record()).find("usage=? incomplete: the provider fell silent"), std::string::npos)
      << call_line(record());
}

TEST_F(WaitingTest, AQuietProviderIsWaitedFor) {
  upstream().answer(ScriptedAnswer()
                        .pause(std::chrono::milliseconds(400))
                        .send(head("content-length: 2\r\n"))
                        .pause(std::chrono::milliseconds(400))
                        .send("{}"));
  start();
  EXPECT_TRUE(post(body).complete);
}

TEST_F(WaitingTest, WhenTheClientLeavesTheProviderIsLeft) {
  upstream().answer(
      ScriptedAnswer::raw(head("transfer-encoding: chunked\r\n")).chunk("data: {}\n\n").wait_for_peer_close());
  start();
  {
    RawClient client = connect();
    client.send(request("POST", "/v1/messages", body));
    client.read_some(10);
  }
  EXPECT_TRUE(upstream().wait_until_open(0, std::chrono::milliseconds(1000)));
  EXPECT_FALSE(record().complete);
  EXPECT_EQ(record().why, "the client left");
}

TEST_F(WaitingTest, WhenTheClientLeavesBeforeTheAnswerTheProviderIsLeft) {
  upstream().answer(ScriptedAnswer().wait_for_peer_close());
  start();
  {
    RawClient client = connect();
    client.send(request("POST", "/v1/messages", body));
    ASSERT_TRUE(upstream().wait_for_requests(1));
  }
  EXPECT_TRUE(upstream().wait_until_open(0, std::chrono::milliseconds(1000)));
  EXPECT_EQ(record().status, 0);
}

TEST_F(WaitingTest, AClientThatLeavesAfterTheLastEventHasItsUsage) {
  ScriptedAnswer answer =
      ScriptedAnswer::raw(head("transfer-encoding: chunked\r\ncontent-type: text/event-stream\r\n"));
  answer.chunk(joined(anthropic_events())).wait_for_peer_close();
  upstream().answer(answer);
  start();
  {
    RawClient client = connect();
    client.send(request("POST", "/v1/messages", body));
    std::string all;
    while (all.find("message_stop") == std::string::npos) all += client.read_some(1);
  }
  EXPECT_EQ(call_line(record()), "POST /v1/messages -> 200 in=25 cache_write=3 cache_read=4 out=15");
}

TEST_F(WaitingTest, ACutStreamIsMarked) {
  ScriptedAnswer answer = ScriptedAnswer::raw(head("transfer-encoding: chunked\r\n"));
  upstream().answer(answer.chunk(anthropic_events()[0]).close());
  start();
  EXPECT_FALSE(post(body).complete);
  EXPECT_EQ(call_line(record()),
            "POST /v1/messages -> 200 in=25 cache_write=3 cache_read=4 out=1 incomplete: the provider closed the "
            "connection in the middle "
            "of the answer");
}

TEST_F(WaitingTest, ASlowReaderHoldsTheProviderBack) {
  ScriptedAnswer answer = ScriptedAnswer::raw(head("transfer-encoding: chunked\r\n"));
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) answer.chunk(piece);
  upstream().answer(answer.send("0\r\n\r\n"));
  start();
  RawClient client = connect();
  client.send(request("POST", "/v1/messages", body));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const Reply reply = client.read_reply();
  EXPECT_TRUE(reply.complete);
  EXPECT_EQ(reply.body.size(), std::size_t{64} << 20);
}

TEST_F(WaitingTest, AReaderThatStopsIsCutOff) {
  settings.limits.client_write_idle = std::chrono::milliseconds(100);
  ScriptedAnswer answer = ScriptedAnswer::raw(head("transfer-encoding: chunked\r\n"));
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) answer.chunk(piece);
  upstream().answer(answer.send("0\r\n\r\n"));
  start();
  RawClient client = connect();
  client.send(request("POST", "/v1/messages", body));
  EXPECT_FALSE(record().complete);
}

}  // namespace
}  // namespace sanduk::test
