// A whole run on Apple's engine, which cannot be had here: `tests/support/fake-container` answers as its documents say,
// takes no flag that they do not name, and has Docker make the boxes. What that does not prove: that the real program
// understands the same words, that a virtual machine reaches the gateway of its bridge, and that the program's helper
// for Linux runs there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "run_support.h"
#include "support/engines.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Apple : public testing::Test, protected WholeRun {
 protected:
  void SetUp() override {
    SANDUK_NEEDS_BOXES();
    if (test_engine().name != "docker") GTEST_SKIP() << "the stand-in for Apple's program needs Docker";
    plan.engines = {engine_named("apple")};
    plan.engines[0].program = SANDUK_SOURCE_DIR "/tests/support/fake-container";
    plan.transport = Transport::gateway;
  }
  static std::string words(const RunOutcome& outcome) {
    if (!outcome.diagnostic) return "none";
    return outcome.diagnostic->code + ": " + outcome.diagnostic->message + "\n" + join(outcome.diagnostic->notes, "\n");
  }
};

TEST_F(Apple, AWholeRunCallsTheModelThroughTheGatewayAndLeavesNothing) {
  script(ask() + "echo made > made");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done) << words(outcome);
  EXPECT_EQ(outcome.relay.calls, 1);
  EXPECT_THAT(outcome.agent.text, HasSubstr("200"));
  EXPECT_TRUE(std::filesystem::exists(workspace() / "made"));
  EXPECT_EQ(record().engine.name, "apple");
  EXPECT_THAT(left_over() + networks(), IsEmpty());
}

TEST_F(Apple, TheAgentsExitCodeAndItsEndArrive) {
  script("echo no >&2; exit 7");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::agent_failed) << words(outcome);
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_THAT(left_over() + networks(), IsEmpty());
}

TEST_F(Apple, AKilledRunLeavesNothing) {
  script("echo up; sleep 300");
  run_and_signal(SIGKILL, agent_speaks);
  EXPECT_TRUE(eventually([&] { return record().state == RunState::abandoned; }, 40));
  EXPECT_THAT(left_over() + networks(), IsEmpty());
}

}  // namespace
}  // namespace sanduk::test
