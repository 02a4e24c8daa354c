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

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
  plan.limits.timeout_seconds = 6;  // of which a busy machine may take some to begin
  script(ask() + "echo '# Half' > REPORT.md; sleep 300 & sleep 300");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code, 124) << words(outcome);
  EXPECT_FALSE(outcome.report_file.empty());
  EXPECT_EQ(outcome.relay.usage.in, 12);
  EXPECT_LT(outcome.seconds, 60);
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(RealRun, TellsAnAgentThatRanOutOfMemory) {
  if (!has_limits()) GTEST_SKIP() << "nothing holds a box to its memory here, and it would take all there is";
  plan.limits.memory_bytes = std::int64_t{64} << 20;
  script("node -e 'const keep = []; for (;;) keep.push(Buffer.alloc(1 << 20, 1))'");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code, 137) << words(outcome);
  // Podman tells it of the first process only, which is the helper.
  EXPECT_THAT(words(outcome), HasSubstr(test_engine().name == "podman" ? "killed" : "out-of-memory"));
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
    outside = engine({"inspect", std::string(trim(containers()))}) + engine({"logs", std::string(trim(containers()))});
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

TEST_F(RealRun, AContainerWhoseRecordIsLostIsFoundByItsLabels) {
  script("echo up; sleep 300");
  const StateDirectory here{state()};
  // A run whose owner is dead, and no record of it: as if the state directory had been deleted.
  const std::string name = "sanduk-0123456789ab";
  engine({"create", "--name", name, "--label", "sanduk.run=" + name, "--label", "sanduk.owner-pid=999999999", "--label",
          "sanduk.owner-start=1", "--label", "sanduk.state=" + state().string(), plan.image.ref, "true"});
  ASSERT_THAT(containers(), HasSubstr(name));
  reap_by_labels(world, here, test_engine());
  EXPECT_THAT(containers(), IsEmpty());
}

TEST_F(RealRun, ANetworkWhoseRecordIsLostIsFoundByItsLabels) {
  if (geteuid() != 0 && test_engine().name == "podman") GTEST_SKIP() << "a plain user's podman has no such networks";
  const StateDirectory here{state()};
  const auto make = [&](const std::string& name, const Owner& owner) {
    engine({"network", "create", "--internal", "--label", "sanduk.run=" + name, "--label",
            "sanduk.owner-pid=" + std::to_string(owner.pid), "--label", "sanduk.owner-start=" + owner.start_time,
            "--label", "sanduk.state=" + state().string(), name});
  };
  make("sanduk-0123456789ad", {999999999, "1"});
  make("sanduk-0123456789ae", this_process());
  ASSERT_THAT(networks(), AllOf(HasSubstr("89ad"), HasSubstr("89ae")));
  reap_by_labels(world, here, test_engine());
  EXPECT_THAT(networks(), AllOf(Not(HasSubstr("89ad")), HasSubstr("89ae"))) << "the second one's owner lives";
  engine({"network", "rm", "sanduk-0123456789ae"});
}

std::size_t open_files() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

// Of each kind that a run makes, what there is: one that was there before is in both counts.
TEST_F(RealRun, ThirtyRunsLeaveNothing) {
  script("echo run; mkdir -p /tmp/x");
  plan.read_only_root = geteuid() == 0 || test_engine().name != "podman";  // see BoxHostile.a_read_only_root_holds
  plan.writable = {"/tmp"};
  plan.workspace.protected_paths = {".git/hooks"};
  const auto children = [] {
    World plain;
    return plain
        .run({.argv = {"pgrep", "-c", "-P", std::to_string(getpid())}, .variables = {}, .input = {}},
             std::chrono::seconds(5))
        .output;
  };
  const bool gateways = geteuid() == 0;  // no network of a plain user's engine reaches the host
  const auto volumes = [&] { return engine({"volume", "ls", "--quiet", "--filter", "dangling=true"}); };
  run();
  const std::size_t files_before = open_files();
  const std::string children_before = children();
  const std::string volumes_before = volumes();
  for (int i = 0; i < 30; ++i) {
    plan.transport = gateways && i % 6 == 5 ? Transport::gateway : Transport::socket;
    const RunOutcome outcome = run();
    ASSERT_EQ(outcome.status, RunStatus::done) << i << ": " << words(outcome);
  }
  EXPECT_THAT(left_over() + networks(), IsEmpty());
  EXPECT_EQ(open_files(), files_before);
  EXPECT_EQ(children(), children_before);
  EXPECT_EQ(volumes(), volumes_before);
  EXPECT_TRUE(std::filesystem::is_empty(workspace()));
}

// In mode open the agent has the key. What it prints of it is neither kept nor shown.
TEST_F(RealRun, AKeyThatTheAgentPrintsIsNotStored) {
  plan.mode = NetworkMode::open;
  plan.transport = Transport::none;
  plan.relay.key_source = "env:RUN_TEST_KEY";
  plan.agent.variables = {{"API_KEY", "{token}"}};
  plan.agent.token_variable = "";
  script(
      "echo \"key: $API_KEY.\"; printf '%s' \"$API_KEY\" | head -c 9; sleep 0.3; printf '%s' \"$API_KEY\" | "
      "tail -c +10; echo; echo $API_KEY >&2");
  std::string shown;
  listeners.add([&](const Event& event) {
    if (const auto* printed = std::get_if<AgentPrinted>(&event)) shown += printed->bytes;
    if (const auto* said = std::get_if<AgentSaid>(&event)) shown += said->event.text;
  });
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done) << words(outcome);
  EXPECT_THAT(outcome.agent.text, HasSubstr("key: ****"));
  EXPECT_EQ((shown + outcome.agent.text).find(world.key), std::string::npos);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(record_directory())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(read_file(entry.path(), 64 << 20)->find(world.key), std::string::npos) << entry.path();
  }
}

TEST_F(RealRun, PatternsCollectWhatTheRunHasMade) {
  std::ofstream(workspace() / "old.log") << "before\n";
  plan.workspace.collect = {"*.log", "out/**/*.txt", "none/*"};
  script(
      "echo a > a.log; mkdir -p out/x/y; echo t > out/x/y/t.txt; echo z > out/z.txt; ln -s /etc/passwd evil.log; "
      "mkfifo pipe.log; ln -s / out/root");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done) << words(outcome);
  std::vector<std::string> names;
  for (const std::string& file : outcome.collected) {
    names.push_back(std::filesystem::path(file).lexically_relative(record_directory() / "collected"));
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("a.log", "out/x/y/t.txt", "out/z.txt"));
}

TEST_F(RealRun, LiveOwnersAreLeftAlone) {
  const StateDirectory here{state()};
  const Owner me = this_process();
  const std::string name = "sanduk-0123456789ac";
  engine({"create", "--name", name, "--label", "sanduk.run=" + name, "--label",
          "sanduk.owner-pid=" + std::to_string(me.pid), "--label", "sanduk.owner-start=" + me.start_time, "--label",
          "sanduk.state=" + state().string(), plan.image.ref, "true"});
  reap_by_labels(world, here, test_engine());
  EXPECT_THAT(containers(), HasSubstr(name));
  engine({"rm", "--force", name});
}

}  // namespace
}  // namespace sanduk::test
