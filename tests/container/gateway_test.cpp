// The transport `gateway` on a real engine: the relay on the bridge of a network of the run's own, and no other way
// out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "host_service.h"
#include "run_support.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Gateway : public testing::Test, protected WholeRun {
 protected:
  void SetUp() override {
    SANDUK_NEEDS_BOXES();
    if (geteuid() != 0 && test_engine().name == "podman") GTEST_SKIP() << "see GatewayWithoutRoot";
    plan.transport = Transport::gateway;
    listeners.add([this](const Event& event) {
      if (const auto* note = std::get_if<Note>(&event)) notes_ += note->text + "\n";
    });
  }
  std::string words(const RunOutcome& outcome) {
    if (!outcome.diagnostic) return "none";
    return outcome.diagnostic->code + ": " + outcome.diagnostic->message + "\n" + join(outcome.diagnostic->notes, "\n");
  }
  std::string notes_;
};

TEST_F(Gateway, CallsTheModelAndReachesNothingElse) {
  script(ask() +
         "for a in 1.1.1.1 8.8.8.8 169.254.169.254; do timeout 3 node -e 'require(\"net\").connect(443,\"'$a'\")"
         ".on(\"connect\",()=>process.exit(0)).on(\"error\",()=>process.exit(1))' && echo ESCAPED $a; done; "
         "timeout 5 node -e 'require(\"dns\").lookup(\"example.com\",e=>process.exit(e?1:0))' && echo ESCAPED name; "
         "env | grep API_BASE; echo end");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done) << words(outcome);
  EXPECT_EQ(outcome.relay.calls, 1);
  EXPECT_THAT(outcome.agent.text, HasSubstr("200"));
  EXPECT_THAT(outcome.agent.text, HasSubstr("API_BASE=http://127.0.0.1:8750"));
  EXPECT_THAT(outcome.agent.text, Not(HasSubstr("ESCAPED")));
  EXPECT_THAT(left_over() + networks(), IsEmpty());
}

TEST_F(Gateway, TellsWhichServicesOfTheHostAreInReachAndStrictStopsThere) {
  const HostService service;
  script("echo up");
  RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done) << words(outcome);
  EXPECT_THAT(notes_, HasSubstr("reaches services of this host"));
  EXPECT_THAT(notes_, HasSubstr(std::to_string(service.port)));
  plan.strict_network = true;
  outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::host_not_ready);
  EXPECT_THAT(words(outcome), HasSubstr("the box reaches port " + std::to_string(service.port)));
  EXPECT_THAT(left_over() + networks(), IsEmpty());
}

TEST_F(Gateway, LeavesNoNetworkHoweverItEnds) {
  script("echo up; sleep 300");
  for (const int signal : {SIGTERM, SIGKILL}) {
    for (const char* step : {"network", "relay", "container", "agent"}) {
      SCOPED_TRACE(step);
      WholeRun one;
      one.plan.transport = Transport::gateway;
      one.script("echo up; sleep 300");
      one.run_and_signal(
          signal, [&](const Event& event) { return begins(event, step); }, std::chrono::milliseconds(80));
      const auto over = [&] {
        const RunState run_state = one.record().state;
        return run_state == RunState::abandoned || run_state == RunState::ended;
      };
      EXPECT_TRUE(eventually(over, 40));
      EXPECT_THAT(one.left_over() + one.engine({"network", "ls", "--filter",
                                                "label=sanduk.state=" + one.state().string(), "--format", "{{.Name}}"}),
                  IsEmpty());
    }
  }
}

TEST(GatewayWithoutRoot, IsRefusedWithTheReason) {
  SANDUK_NEEDS_BOXES();
  if (geteuid() == 0) GTEST_SKIP() << "only a plain user's engine is refused";
  WholeRun one;
  one.plan.transport = Transport::gateway;
  const RunOutcome outcome = one.run();
  EXPECT_EQ(outcome.status, RunStatus::host_not_ready);
  ASSERT_TRUE(outcome.diagnostic);
  EXPECT_EQ(outcome.diagnostic->code, "network-failed");
  EXPECT_THAT(one.left_over(), IsEmpty());
}

}  // namespace
}  // namespace sanduk::test
