// The commands that look at runs and end them: the real program on a real engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/text.h"
#include "run_support.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RealCommands : public testing::Test, protected WholeRun {
 protected:
  void SetUp() override {
    SANDUK_NEEDS_BOXES();
    profile("echo up; sleep 300");
  }

  void profile(const std::string& script, const std::string& more = "") {
    std::ofstream(root() / "p.toml") << "[provider]\nname = \"replay\"\ncassette = \"cassette.jsonl\"\n"
                                     << "[agent]\nname = \"command\"\ncommand = [\"sh\", \"-c\", \"" << script
                                     << "\"]\n"
                                     << "[image]\nref = \"" << plan.image.ref << "\"\n[engine]\nname = \""
                                     << test_engine().name << "\"\n[caps]\nmemory = \"256M\"\ncpus = 1\n"
                                     << "[workspace]\npath = \"work\"\n"
                                     << more;
  }

  std::filesystem::path root() const { return workspace().parent_path(); }

  Command tool(std::vector<std::string> words) const {
    const char* other = std::getenv("SANDUK_TEST_TOOL");
    words.insert(words.begin(), other == nullptr ? SANDUK_BINARY : other);
    return {
        .argv = std::move(words),
        .variables = {{"XDG_STATE_HOME", (root() / "state").string()}, {"XDG_CONFIG_HOME", (root() / "no").string()}},
        .input = {}};
  }
  ProcessResult call(const std::vector<std::string>& words) const {
    return run_process(tool(words), std::chrono::seconds(120));
  }
  // A run at work in the background.
  Child begin() const {
    Child child = Child::start(tool({"apply", (root() / "p.toml").string()}));
    EXPECT_TRUE(eventually([&] { return call({"logs", "last"}).output == "up\n"; }, 60));
    return child;
  }
  std::vector<std::string> engine_flag(std::vector<std::string> words) const {
    words.insert(words.end(), {"--runtime", test_engine().name});
    return words;
  }
};

TEST_F(RealCommands, ARunIsSeenLookedIntoAndStopped) {
  Child child = begin();
  const ProcessResult listed = call(engine_flag({"ps", "--json"}));
  EXPECT_EQ(listed.exit_code, 0) << listed.errors;
  EXPECT_THAT(listed.output, HasSubstr("\"container_state\": \"running\""));
  EXPECT_THAT(listed.output, HasSubstr("\"owner_lives\": true"));
  const ProcessResult inside =
      call({"exec", "--runtime", test_engine().name, "last", "--", "sh", "-c", "id -u; pwd; exit 5"});
  EXPECT_EQ(inside.exit_code, 5) << inside.errors;
  EXPECT_THAT(inside.output, HasSubstr(std::to_string(plan.user.uid)));
  EXPECT_EQ(call(engine_flag({"stop"})).exit_code, 0);
  EXPECT_FALSE(child.poll()) << "a living owner's run goes on";
  const ProcessResult stopped = call(engine_flag({"stop", "last"}));
  EXPECT_EQ(stopped.exit_code, 0) << stopped.errors;
  EXPECT_EQ(child.wait_for(std::chrono::seconds(30)), 128 + SIGTERM);
  EXPECT_THAT(left_over(), IsEmpty());
  EXPECT_THAT(call(engine_flag({"ps", "--all"})).output, HasSubstr("interrupted"));
}

TEST_F(RealCommands, WhatAKilledOwnerAndItsWatcherLeftIsCollected) {
  Child child = begin();
  const std::string container(trim(containers()));
  // The owner and its watcher at once: only labels and record are left.
  const ProcessResult watcher = run_process(
      {.argv = {"pgrep", "-x", "-P", std::to_string(child.pid()), "sanduk-watch"}, .variables = {}, .input = {}},
      std::chrono::seconds(5));
  const auto pid = parse_decimal(trim(watcher.output));
  ASSERT_TRUE(pid) << watcher.output;
  kill(static_cast<pid_t>(*pid), SIGKILL);
  kill(child.pid(), SIGKILL);
  child.wait_for(std::chrono::seconds(10));
  EXPECT_THAT(containers(), HasSubstr(container));
  EXPECT_THAT(call(engine_flag({"ps"})).output, HasSubstr("orphaned"));
  const ProcessResult collected = call(engine_flag({"gc"}));
  EXPECT_EQ(collected.exit_code, 0) << collected.errors;
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(RealCommands, AKeptContainerIsShownAndCleaned) {
  profile("echo done");
  const ProcessResult run = call({"apply", (root() / "p.toml").string(), "--keep"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(call(engine_flag({"ps"})).output, HasSubstr("kept"));
  EXPECT_EQ(call(engine_flag({"clean"})).exit_code, 0);
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(RealCommands, TheDoctorsProbeBoxReachesTheRelay) {
  const ProcessResult seen = call({"doctor", (root() / "p.toml").string(), "--json"});
  EXPECT_EQ(seen.exit_code, 0) << seen.output << seen.errors;
  EXPECT_THAT(seen.output, HasSubstr("reached the relay"));
  EXPECT_THAT(seen.output, HasSubstr("what a box writes belongs to user " + std::to_string(plan.user.uid)));
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(RealCommands, ARunOnACopyLeavesTheWorkspaceUntilItIsTaken) {
  std::ofstream(workspace() / "file") << "one\n";
  if (geteuid() == 0) {
    ASSERT_EQ(chown((workspace() / "file").c_str(), 1000, 1000), 0);
  }
  profile("echo two >> file; echo new > added; echo '# R' > REPORT.md", "mode = \"copy\"\n");
  const ProcessResult run = call({"apply", (root() / "p.toml").string()});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_FALSE(std::filesystem::exists(workspace() / "added"));
  EXPECT_THAT(call({"changes", "last"}).output, HasSubstr("+two"));
  EXPECT_EQ(call({"take", "last"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(workspace() / "added"));
  struct stat status {};
  ASSERT_EQ(stat((workspace() / "added").c_str(), &status), 0);
  EXPECT_EQ(static_cast<std::int64_t>(status.st_uid), plan.user.uid);
}

TEST_F(RealCommands, AReadOnlyWorkspaceCannotBeWritten) {
  std::ofstream(workspace() / "file") << "one\n";
  profile("cat file; echo x > new || echo held; echo x >> file || echo held", "mode = \"ro\"\n");
  const ProcessResult run = call({"apply", (root() / "p.toml").string()});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, "one\nheld\nheld\n");
  EXPECT_THAT(left_over(), IsEmpty());
}

}  // namespace
}  // namespace sanduk::test
