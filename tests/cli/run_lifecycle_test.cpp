// The life of a run as a user sees it: the real program, an engine that is a script, signals from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/lifecycle.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(Lifecycle, ResultsGoToOutputAllElseToErrorsAndNoEscapeByteToEither) {
  Child child = start({"apply", "p.toml"});
  EXPECT_EQ(finish(child), 0) << errors_;
  EXPECT_EQ(output_, "hello\n");
  EXPECT_THAT(errors_, HasSubstr("agent command\n  | hello\n"));
  EXPECT_EQ((output_ + errors_).find('\x1b'), std::string::npos);
  EXPECT_THAT(left_over(), IsEmpty());
  EXPECT_EQ(list(state() / "runs").size(), 1U);
}

TEST_F(Lifecycle, TheAgentsCodeIsTheTools) {
  agent("exit 7");
  Child child = start({"apply", "p.toml"});
  EXPECT_EQ(finish(child), 7);
  EXPECT_THAT(errors_, HasSubstr("agent-failed"));
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(Lifecycle, AStoppedEngineIsSaidAndNothingIsStarted) {
  scratch_.write("fake/fail-inspect-image", "Cannot connect to the Docker daemon. Is the docker daemon running?\n");
  Child child = start({"apply", "p.toml"});
  EXPECT_EQ(finish(child), 3);
  EXPECT_THAT(errors_, HasSubstr("engine-stopped"));
  EXPECT_THAT(read_whole(scratch_.root() / "fake/calls"), Not(HasSubstr("create")));
  EXPECT_THAT(left_over(), IsEmpty());
}

class EachSignal : public Lifecycle, public testing::WithParamInterface<int> {};

TEST_P(EachSignal, EndsTheRunAndLeavesNothing) {
  agent(long_agent_);
  Child child = start({"apply", "p.toml"});
  ASSERT_TRUE(agent_works());
  kill(child.pid(), GetParam());
  EXPECT_EQ(finish(child), 128 + GetParam());
  EXPECT_THAT(errors_, HasSubstr("interrupted"));
  EXPECT_THAT(left_over(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Signals, EachSignal, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(Lifecycle, ImpatienceDoesNotLeaveAnything) {
  agent(long_agent_);
  scratch_.write("fake/slow-rm", "0.5");
  Child child = start({"apply", "p.toml"});
  ASSERT_TRUE(agent_works());
  for (int i = 0; i < 4; ++i) {
    kill(child.pid(), SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(finish(child), 128 + SIGINT);
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(Lifecycle, AReaderThatGoesAwayDoesNotEndTheRunInTheMiddle) {
  agent("echo up; sleep 0.3; for i in 1 2 3 4 5; do echo line; echo line >&2; done");
  Child child = start({"apply", "p.toml"});
  child.close_streams();
  EXPECT_EQ(child.wait_for(std::chrono::seconds(30)), 0);
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(Lifecycle, AfterAKillTheWatcherCleansUp) {
  agent(long_agent_);
  Child child = start({"apply", "p.toml"});
  ASSERT_TRUE(agent_works());
  kill(child.pid(), SIGKILL);
  // The streams end as well: the watcher holds none of them.
  EXPECT_EQ(finish(child), 128 + SIGKILL);
  EXPECT_TRUE(until([&] { return left_over().empty(); })) << testing::PrintToString(left_over());
  EXPECT_THAT(read_whole(state() / "runs" / list(state() / "runs").at(0) / "run.json"), HasSubstr("\"abandoned\""));
}

TEST_F(Lifecycle, TwoRunsAtOnceLeaveEachOtherAlone) {
  agent("echo up; sleep 1; echo done");
  Child first = start({"apply", "p.toml"});
  Child second = start({"apply", "p.toml"});
  EXPECT_EQ(finish(first), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("done"));
  EXPECT_EQ(finish(second), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("done"));
  EXPECT_THAT(left_over(), IsEmpty());
  EXPECT_EQ(list(state() / "runs").size(), 2U);
}

}  // namespace
}  // namespace sanduk::test
