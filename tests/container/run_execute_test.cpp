// Whole runs in real boxes: how they end, what they leave, and that nothing else stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/text.h"
#include "engine/execute.h"
#include "engine/reap.h"
#include "run_support.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class RealRun : public testing::Test, protected WholeRun {
 protected:
  void SetUp() override { SANDUK_NEEDS_BOXES(); }
  std::string words(const RunOutcome& outcome) {
    if (!outcome.diagnostic) return "none";
    return outcome.diagnostic->code + ": " + outcome.diagnostic->message + "\n" + join(outcome.diagnostic->notes, "\n");
  }
};

TEST_F(RealRun, CallsTheModelAndLeavesAReport) {
  script(ask() + "echo '# Report' > REPORT.md");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done) << words(outcome);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.relay.calls, 1);
  EXPECT_EQ(outcome.relay.usage.in, 12);
  EXPECT_EQ(outcome.relay.usage.out, 3);
  EXPECT_THAT(outcome.agent.text, HasSubstr("200"));
  FileResult<std::string> report = read_file(outcome.report_file, 100);
  ASSERT_TRUE(report);
  EXPECT_EQ(*report, "# Report\n");
  EXPECT_THAT(left_over(), IsEmpty());
  EXPECT_EQ(record().state, RunState::ended);
  EXPECT_EQ(record().relay.usage.in, 12);
}

TEST_F(RealRun, EndsWithTheAgentsOwnCode) {
  script("echo no >&2; exit 7");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code, 7) << words(outcome);
  EXPECT_THAT(words(outcome), HasSubstr("agent-failed"));
  EXPECT_THAT(words(outcome), HasSubstr("no"));
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(RealRun, EndsASilentAgentAtItsTimeAndCollectsWhatIsThere) {
  plan.limits.timeout_seconds = 2;
  script(ask() + "echo '# Half' > REPORT.md; sleep 300 & sleep 300");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code, 124) << words(outcome);
  EXPECT_FALSE(outcome.report_file.empty());
  EXPECT_EQ(outcome.relay.usage.in, 12);
  EXPECT_LT(outcome.seconds, 60);
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(RealRun, TellsAnAgentThatRanOutOfMemory) {
  plan.limits.memory_bytes = std::int64_t{64} << 20;
  script("node -e 'const keep = []; for (;;) keep.push(Buffer.alloc(1 << 20, 1))'");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code, 137) << words(outcome);
  EXPECT_THAT(words(outcome), HasSubstr("out-of-memory"));
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(RealRun, ARequestThatTheRecordingDoesNotHoldEndsTheRun) {
  plan.relay.routes.push_back({{"POST"}, "/v1/other", Protocol::none, false});
  script(ask("/v1/other") + "sleep 60");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::stopped_by_policy) << words(outcome);
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(words(outcome), HasSubstr("cassette-miss"));
  EXPECT_LT(outcome.seconds, 55);
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(RealRun, ASpentBudgetEndsTheRun) {
  plan.relay.budget_calls = 1;
  script(ask() + ask() + "sleep 60");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code, 4) << words(outcome);
  EXPECT_THAT(words(outcome), HasSubstr("budget-spent"));
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(RealRun, TheMountPointsOfProtectedPathsGoWithTheBox) {
  plan.workspace.protected_paths = {".git/hooks", ".envrc"};
  script("ls -A; touch .envrc 2>/dev/null && echo written; echo '# Report' > REPORT.md");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done) << words(outcome);
  EXPECT_THAT(outcome.agent.text, testing::Not(HasSubstr("written")));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(workspace())) names.push_back(entry.path().filename());
  EXPECT_EQ(names, std::vector<std::string>{"REPORT.md"});
}

TEST_F(RealRun, TakesNoReportThatIsALink) {
  script("ln -s /etc/hostname REPORT.md");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done) << words(outcome);
  EXPECT_EQ(outcome.report_file, "");
}

// ---------------------------------------------------------------------------------------------------------------------

// Every 6-character piece of the key, so that a part that was cut out is found as well.
bool holds_a_piece(const std::string& text, const std::string& key) {
  // The prefix is public: every key of that provider begins so.
  for (std::size_t i = key.rfind('-') + 1; i + 6 <= key.size(); ++i) {
    if (text.find(key.substr(i, 6)) != std::string::npos) return true;
  }
  return false;
}

TEST_F(RealRun, TheKeyIsNowhereButInTheRelay) {
  plan.relay.key_source = "env:RUN_TEST_KEY";
  script("echo up; " + ask() +
         "env; for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; tr '\\0' ' ' < $p/environ; done; "
         "find /work /run /tmp /home -type f -exec cat {} +; cat /proc/mounts; echo '# R' > REPORT.md");
  std::string outside;
  listeners.add([&](const Event& event) {
    if (!agent_speaks(event) || !outside.empty()) return;
    outside = docker({"inspect", std::string(trim(containers()))}) + docker({"logs", std::string(trim(containers()))});
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      FileResult<std::string> line = read_file(entry.path() / "cmdline", 1 << 20);
      if (line) outside += *line + "\n";
    }
  });
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done) << words(outcome);
  EXPECT_THAT(outside, HasSubstr("sanduk.run"));
  EXPECT_FALSE(holds_a_piece(outside, world.key));
  EXPECT_THAT(outcome.agent.text, HasSubstr("API_TOKEN="));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(state())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_FALSE(holds_a_piece(*read_file(entry.path(), 64 << 20), world.key)) << entry.path();
  }
}

// ---------------------------------------------------------------------------------------------------------------------

TEST_F(RealRun, SignalsEndTheRunInOrder) {
  script("echo up; sleep 300");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EQ(run_and_signal(signal, agent_speaks), 128 + signal);
    EXPECT_THAT(left_over(), IsEmpty());
  }
}

struct Killing {
  std::string name;
  std::string step;
  int milliseconds;
};

void PrintTo(const Killing& killing, std::ostream* out) { *out << killing.name; }

class KilledRun : public RealRun, public testing::WithParamInterface<Killing> {};

TEST_P(KilledRun, IsCleanedUpByItsWatcher) {
  script("echo up; sleep 300");
  if (GetParam().step.starts_with("undo") || GetParam().step == "collect") script("echo up");
  plan.workspace.protected_paths = {".git/hooks"};
  const int code = run_and_signal(
      SIGKILL,
      [&](const Event& event) {
        return GetParam().step == "speech" ? agent_speaks(event) : begins(event, GetParam().step);
      },
      std::chrono::milliseconds(GetParam().milliseconds));
  EXPECT_EQ(code, 128 + SIGKILL);
  EXPECT_TRUE(eventually([&] { return record().state == RunState::abandoned; }));
  EXPECT_THAT(left_over(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(workspace() / ".git"));
  // Nothing comes after, either.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_THAT(containers(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Kill, KilledRun,
                         testing::Values(Killing{"Engine", "engine", 0}, Killing{"Relay", "relay", 0},
                                         Killing{"Container", "container", 0}, Killing{"DuringCreate", "container", 20},
                                         Killing{"LateDuringCreate", "container", 60}, Killing{"Agent", "agent", 0},
                                         Killing{"DuringStart", "agent", 100}, Killing{"AtWork", "speech", 100},
                                         Killing{"Collect", "collect", 0}, Killing{"Undo", "undo container", 0}),
                         [](const auto& killing) { return killing.param.name; });

TEST_F(RealRun, AContainerWhoseRecordIsLostIsFoundByItsLabels) {
  script("echo up; sleep 300");
  const StateDirectory here{state()};
  // A run whose owner is dead, and no record of it: as if the state directory had been deleted.
  const std::string name = "sanduk-0123456789ab";
  docker({"create", "--name", name, "--label", "sanduk.run=" + name, "--label", "sanduk.owner-pid=999999999", "--label",
          "sanduk.owner-start=1", "--label", "sanduk.state=" + state().string(), plan.image.ref, "true"});
  ASSERT_THAT(containers(), HasSubstr(name));
  reap_by_labels(world, here, "docker");
  EXPECT_THAT(containers(), IsEmpty());
}

TEST_F(RealRun, LiveOwnersAreLeftAlone) {
  const StateDirectory here{state()};
  const Owner me = this_process();
  const std::string name = "sanduk-0123456789ac";
  docker({"create", "--name", name, "--label", "sanduk.run=" + name, "--label",
          "sanduk.owner-pid=" + std::to_string(me.pid), "--label", "sanduk.owner-start=" + me.start_time, "--label",
          "sanduk.state=" + state().string(), plan.image.ref, "true"});
  reap_by_labels(world, here, "docker");
  EXPECT_THAT(containers(), HasSubstr(name));
  docker({"rm", "--force", name});
}

}  // namespace
}  // namespace sanduk::test
