// Budgets: spent in order, never overshot by calls at the same time, charged when nobody knows.
#include "relay/budget.h"

#include <atomic>
#include <thread>

#include "relay/harness.h"
#include "relay/money.h"

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

PlannedRelay plan_with(std::optional<std::int64_t> calls, std::optional<std::int64_t> tokens) {
  PlannedRelay plan;
  plan.budget_calls = calls;
  plan.budget_tokens = tokens;
  return plan;
}

TEST(BudgetUnit, TokensInFlightAreWaitedFor) {
  const PlannedRelay plan = plan_with({}, 1000);
  Budget budget(plan);
  const StopEvent stop;
  const Clock::time_point now = Clock::now();
  Budget::Admission first = budget.admit({900, 0}, now, stop, -1);
  EXPECT_FALSE(first.refusal);
  EXPECT_TRUE(budget.admit({900, 0}, now, stop, -1).refusal) << "no time to wait";
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    first.reservation.settle({10, 0});
  });
  Budget::Admission second = budget.admit({900, 0}, now + std::chrono::seconds(5), stop, -1);
  later.join();
  EXPECT_FALSE(second.refusal);
  second.reservation.settle({995, 0});
  EXPECT_TRUE(budget.check());
}

TEST(BudgetUnit, OneCallAloneGoesWhileAnythingIsLeft) {
  const PlannedRelay plan = plan_with({}, 10);
  Budget budget(plan);
  const StopEvent stop;
  Budget::Admission one = budget.admit({32000, 0}, Clock::now(), stop, -1);
  EXPECT_FALSE(one.refusal);
  one.reservation.settle({10, 0});
  EXPECT_TRUE(budget.admit({1, 0}, Clock::now(), stop, -1).refusal);
}

// One that the provider refuses is given back, so that the last call of a budget is waited for, not taken for spent.
TEST(BudgetUnit, CallsInFlightAreWaitedFor) {
  const PlannedRelay plan = plan_with(1, {});
  Budget budget(plan);
  const StopEvent stop;
  Budget::Admission first = budget.admit({1, 0}, Clock::now(), stop, -1);
  EXPECT_FALSE(budget.check()) << "nothing is spent yet";
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    first.reservation.give_back();
  });
  Budget::Admission second = budget.admit({1, 0}, Clock::now() + std::chrono::seconds(5), stop, -1);
  later.join();
  ASSERT_FALSE(second.refusal);
  second.reservation.settle({1, 0});
  EXPECT_TRUE(budget.check());
}

TEST(BudgetUnit, HugeEstimatesDoNotWrap) {
  const PlannedRelay plan = plan_with({}, 1000);
  Budget budget(plan);
  const StopEvent stop;
  Budget::Admission one = budget.admit({INT64_MAX, 0}, Clock::now(), stop, -1);
  EXPECT_FALSE(one.refusal);
  EXPECT_TRUE(budget.admit({INT64_MAX, 0}, Clock::now(), stop, -1).refusal);
  one.reservation.settle({INT64_MAX, 0});
  EXPECT_TRUE(budget.check());
}

TEST(BudgetUnit, AReservationThatIsDroppedIsGivenBack) {
  const PlannedRelay plan = plan_with(1, {});
  Budget budget(plan);
  const StopEvent stop;
  { const Budget::Admission one = budget.admit({1, 0}, Clock::now(), stop, -1); }
  EXPECT_FALSE(budget.check());
}

TEST(BudgetUnit, AStopEndsTheWait) {
  const PlannedRelay plan = plan_with({}, 10);
  Budget budget(plan);
  StopEvent stop;
  const Budget::Admission one = budget.admit({10, 0}, Clock::now(), stop, -1);
  std::thread later([&] { stop.set(); });
  EXPECT_TRUE(budget.admit({10, 0}, Clock::now() + std::chrono::seconds(5), stop, -1).gave_up);
  later.join();
}

TEST(MoneyUnit, APriceIsForItsModelAlone) {
  const std::vector<Price> prices = {{"gpt-5", 1, 10, 0.1, 1, 0, 0, 0}};
  EXPECT_NE(price_of(prices, "gpt-5"), nullptr);
  EXPECT_NE(price_of(prices, "gpt-5-20260101"), nullptr);
  EXPECT_NE(price_of(prices, "gpt-5-2026-01-01"), nullptr);
  for (const char* const other : {"gpt-5-pro", "gpt-5-mini", "gpt-5.2", "gpt-50", "", "gpt-5-2026010", "x-20260101"}) {
    EXPECT_EQ(price_of(prices, other), nullptr) << other;
  }
}

TEST(MoneyUnit, CountsWhatIsCachedOnce) {
  const Price price{"m", 3, 15, 0.3, 6, 1000, 6, 30};
  Usage usage;
  usage.in = 100;
  usage.cache_read = 50;
  usage.cache_write = 10;
  usage.out = 20;
  EXPECT_DOUBLE_EQ(cost_of(usage, false, price), (100 * 3 + 50 * 0.3 + 10 * 6 + 20 * 15) / 1e6);
  EXPECT_DOUBLE_EQ(cost_of(usage, true, price), (40 * 3 + 50 * 0.3 + 10 * 6 + 20 * 15) / 1e6);
  usage.in = 1001;
  usage.cache_read = usage.cache_write = std::nullopt;
  EXPECT_DOUBLE_EQ(cost_of(usage, true, price), (1001 * 6 + 20 * 30) / 1e6) << "a long context";
}

// 30 in and 20 out at 1000 and 2000 dollars a million: 0.07 a call.
class MoneyTest : public RelayTest {
 protected:
  MoneyTest() {
    plan.budget_usd = 0.1;
    plan.prices = {{"m", 1000, 2000, 1000, 1000, 0, 0, 0}};
    upstream().answer(ScriptedAnswer::json(200, fifty_tokens));
  }
};

TEST_F(MoneyTest, IsCountedByThePlansPrices) {
  start();
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(call_line(record()), "POST /v1/messages -> 200 in=30 out=20 cost=0.070000");
  EXPECT_EQ(post(body).status, 200) << "something is left";
  const Reply reply = post(body);
  EXPECT_EQ(reply.status, 402);
  EXPECT_NE(reply.body.find("$0.1000 is spent ($0.1400 used)"), std::string::npos) << reply.body;
  ASSERT_FALSE(stops().empty());
  EXPECT_EQ(stops()[0].first, "budget-spent");
}

TEST_F(MoneyTest, TheRestBoundsTheNextAnswer) {
  start();
  post(body);
  post(body);
  const std::string second = upstream().requests()[1].body;
  // 0.03 is left; 7 tokens of input cost 0.007, so that 11 of output may follow.
  EXPECT_EQ(second, R"({"model":"m","max_tokens":11})");
}

TEST_F(MoneyTest, AModelWithoutAPriceIsNotAsked) {
  start();
  const Reply reply = post(R"({"model":"m-pro","max_tokens":1})");
  EXPECT_EQ(reply.status, 403);
  EXPECT_NE(reply.body.find("the price of the model \\\"m-pro\\\" is not known"), std::string::npos) << reply.body;
  EXPECT_EQ(upstream().requests().size(), 0U);
}

TEST_F(MoneyTest, WhatRaisesThePriceIsNotAsked) {
  start();
  for (const char* const word : {R"("service_tier":"priority")", R"("speed":"fast")", R"("speed":1)",
                                 R"("tools":[{"type":"web_search_20250305"}])"}) {
    EXPECT_EQ(post(R"({"model":"m","max_tokens":1,)" + std::string(word) + "}").status, 403) << word;
  }
  EXPECT_EQ(post(R"({"model":"m","max_tokens":1,"service_tier":"standard_only"})").status, 200);
}

TEST_F(MoneyTest, TheProvidersOwnWordCounts) {
  plan.provider_reports_cost = true;
  plan.prices.clear();
  upstream().answer_with([](const ScriptedRequest&) {
    return ScriptedAnswer::json(200, R"({"usage":{"input_tokens":1,"output_tokens":1,"cost":0.2}})");
  });
  start();
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(post(body).status, 402) << "the money is spent";
  EXPECT_EQ(call_line(record()), "POST /v1/messages -> 200 in=1 out=1 cost=0.200000");
}

TEST_F(MoneyTest, ACallThatDoesNotSayItsCostEndsTheRun) {
  plan.provider_reports_cost = true;
  plan.prices.clear();
  start();
  EXPECT_EQ(post(body).status, 200);
  const Reply reply = post(body);
  EXPECT_EQ(reply.status, 402);
  EXPECT_NE(reply.body.find("without saying what it cost"), std::string::npos) << reply.body;
}

TEST_F(MoneyTest, ManyAtOnceDoNotOvershoot) {
  plan.budget_usd = 0.35;
  start();
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) threads.emplace_back([this] { post(body); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(upstream().requests().size(), 5U) << "0.07 each";
}

}  // namespace
}  // namespace sanduk::test
