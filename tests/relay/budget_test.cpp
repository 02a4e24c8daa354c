// Budgets: spent in order, never overshot by calls at the same time, charged when nobody knows.
#include "relay/budget.h"

#include <atomic>
#include <thread>

#include "relay/harness.h"

namespace sanduk::test {
namespace {

constexpr const char* body = R"({"model":"m","max_tokens":100})";
constexpr const char* fifty_tokens = R"({"usage":{"input_tokens":30,"output_tokens":20}})";

class BudgetTest : public RelayTest {};

TEST_F(BudgetTest, CallsAreCounted) {
  plan.budget_calls = 2;
  upstream().answer(ScriptedAnswer::json(200, fifty_tokens));
  start();
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(post(body).status, 200);
  const Reply reply = post(body);
  EXPECT_EQ(reply.status, 402);
  EXPECT_EQ(reply.header("x-should-retry"), "false");
  EXPECT_NE(reply.body.find("budget_exceeded"), std::string::npos);
  EXPECT_NE(reply.body.find("budget of 2 model calls is spent"), std::string::npos) << reply.body;
  post(body);
  EXPECT_EQ(upstream().requests().size(), 2U);
  ASSERT_EQ(stops().size(), 1U) << "said once";
  EXPECT_EQ(stops()[0].first, "budget-spent");
  EXPECT_EQ(call_line(record(3)),
            "POST /v1/messages -> 402 budget_exceeded: the run's budget of 2 model calls is spent");
}

TEST_F(BudgetTest, ListingModelsAndCountingTokensAreNoCalls) {
  plan.budget_calls = 1;
  start();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask(request("GET", "/v1/models", "")).status, 200);
    EXPECT_EQ(post(body, "", "/v1/messages/count_tokens").status, 200);
  }
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(post(body).status, 402);
  EXPECT_EQ(ask(request("GET", "/v1/models", "")).status, 200);
}

TEST_F(BudgetTest, TokensAreCounted) {
  plan.budget_tokens = 100;
  upstream().answer(ScriptedAnswer::json(200, fifty_tokens));
  start();
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(post(body).status, 200);
  const Reply reply = post(body);
  EXPECT_EQ(reply.status, 402);
  EXPECT_NE(reply.body.find("budget of 100 tokens is spent (100 used)"), std::string::npos) << reply.body;
}

TEST_F(BudgetTest, RefusalsAndFailuresCostNothing) {
  plan.budget_calls = 1;
  upstream().answer(ScriptedAnswer::json(529, "{}"));
  upstream().answer(ScriptedAnswer::json(200, fifty_tokens));
  start();
  EXPECT_EQ(post("{").status, 400);
  EXPECT_EQ(post(body).status, 529);
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(post(body).status, 402);
}

TEST_F(BudgetTest, ACallThatNobodyWaitsForIsCharged) {
  plan.budget_calls = 2;
  upstream().answer(ScriptedAnswer().wait_for_peer_close());
  upstream().answer(ScriptedAnswer::raw("HTTP/1.1 2").close());
  start();
  {
    RawClient client = connect();
    client.send(request("POST", "/v1/messages", body));
    ASSERT_TRUE(upstream().wait_for_requests(1));
  }
  record();
  EXPECT_EQ(post(body).status, 502);
  EXPECT_EQ(post(body).status, 402) << "both may have been charged by the provider";
}

TEST_F(BudgetTest, AnAnswerWithoutUsageIsChargedWhatItReserved) {
  plan.budget_tokens = 150;
  upstream().answer(ScriptedAnswer::json(200, "{}"));
  start();
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(post(body).status, 402) << "two calls of 100 tokens each may have taken 200";
}

TEST_F(BudgetTest, ACutAnswerIsChargedWhatItReserved) {
  plan.budget_tokens = 90;
  upstream().answer(ScriptedAnswer::raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
                        .chunk(anthropic_events()[0])
                        .close());
  start();
  EXPECT_FALSE(post(body).complete);
  EXPECT_EQ(post(body).status, 402);
}

TEST_F(BudgetTest, CallsAtTheSameTimeDoNotOvershoot) {
  plan.budget_calls = 3;
  upstream().answer(ScriptedAnswer()
                        .pause(std::chrono::milliseconds(50))
                        .send("HTTP/1.1 200 OK\r\ncontent-length: 48\r\n\r\n" + std::string(fifty_tokens) + " "));
  start();
  std::atomic<int> good{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 16; ++i) clients.emplace_back([&] { good += post(body).status == 200 ? 1 : 0; });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 3);
  EXPECT_EQ(upstream().requests().size(), 3U);
}

TEST_F(BudgetTest, AStalledUploadHoldsNothing) {
  plan.budget_calls = 1;
  upstream().answer(ScriptedAnswer::json(200, fifty_tokens));
  start();
  RawClient stalled = connect();
  stalled.send("POST /v1/messages HTTP/1.1\r\nHost: a\r\nx-api-key: " + std::string(run_token) +
               "\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_EQ(post(body).status, 200);
}

TEST(BudgetUnit, TokensInFlightAreWaitedFor) {
  Budget budget(std::nullopt, 1000);
  const StopEvent stop;
  const Clock::time_point now = Clock::now();
  Budget::Admission first = budget.admit(900, now, stop, -1);
  EXPECT_FALSE(first.refusal);
  EXPECT_TRUE(budget.admit(900, now, stop, -1).refusal) << "no time to wait";
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    first.reservation.settle(10);
  });
  Budget::Admission second = budget.admit(900, now + std::chrono::seconds(5), stop, -1);
  later.join();
  EXPECT_FALSE(second.refusal);
  second.reservation.settle(995);
  EXPECT_TRUE(budget.check());
}

TEST(BudgetUnit, OneCallAloneGoesWhileAnythingIsLeft) {
  Budget budget(std::nullopt, 10);
  const StopEvent stop;
  Budget::Admission one = budget.admit(32000, Clock::now(), stop, -1);
  EXPECT_FALSE(one.refusal);
  one.reservation.settle(10);
  EXPECT_TRUE(budget.admit(1, Clock::now(), stop, -1).refusal);
}

TEST(BudgetUnit, HugeEstimatesDoNotWrap) {
  Budget budget(std::nullopt, 1000);
  const StopEvent stop;
  Budget::Admission one = budget.admit(INT64_MAX, Clock::now(), stop, -1);
  EXPECT_FALSE(one.refusal);
  EXPECT_TRUE(budget.admit(INT64_MAX, Clock::now(), stop, -1).refusal);
  one.reservation.settle(INT64_MAX);
  EXPECT_TRUE(budget.check());
}

TEST(BudgetUnit, AReservationThatIsDroppedIsGivenBack) {
  Budget budget(1, std::nullopt);
  const StopEvent stop;
  { const Budget::Admission one = budget.admit(1, Clock::now(), stop, -1); }
  EXPECT_FALSE(budget.check());
}

TEST(BudgetUnit, AStopEndsTheWait) {
  Budget budget(std::nullopt, 10);
  StopEvent stop;
  const Budget::Admission one = budget.admit(10, Clock::now(), stop, -1);
  std::thread later([&] { stop.set(); });
  EXPECT_TRUE(budget.admit(10, Clock::now() + std::chrono::seconds(5), stop, -1).gave_up);
  later.join();
}

}  // namespace
}  // namespace sanduk::test
