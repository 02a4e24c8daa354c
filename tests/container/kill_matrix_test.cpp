// The kill matrix: a run is ended by each signal at each of its steps, on a real engine; whatever is left is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iomanip>
#include <iostream>

#include "base/text.h"
#include "run_support.h"

namespace sanduk::test {
namespace {

struct Moment {
  const char* name;
  const char* step;  // its beginning; "speech": the agent's first word
  int milliseconds;  // after it
  bool short_agent;  // an agent that ends by itself, for what comes after it
};

constexpr Moment moments[] = {{"engine", "engine", 0, false},
                              {"image", "image", 0, false},
                              {"relay", "relay", 0, false},
                              {"container", "container", 0, false},
                              {"during create", "container", 20, false},
                              {"late in create", "container", 60, false},
                              {"agent", "agent", 0, false},
                              {"during start", "agent", 100, false},
                              {"at work", "speech", 100, false},
                              {"collect", "collect", 0, true},
                              {"undo container", "undo container", 0, true}};

class KillMatrix : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { SANDUK_NEEDS_BOXES(); }
};

std::size_t lines_of(const std::string& text) {
  std::size_t count = 0;
  for (const std::string& line : split(text, '\n')) count += trim(line).empty() ? 0 : 1;
  return count;
}

TEST_P(KillMatrix, LeavesNothing) {
  const int signal = GetParam();
  for (const Moment& moment : moments) {
    SCOPED_TRACE(moment.name);
    WholeRun run;
    run.plan.workspace.protected_paths = {".git/hooks"};
    run.script(moment.short_agent ? "echo up" : "echo up; sleep 300");
    const std::string step = moment.step;
    const int code = run.run_and_signal(
        signal, [&](const Event& event) { return step == "speech" ? agent_speaks(event) : begins(event, step); },
        std::chrono::milliseconds(moment.milliseconds));
    if (signal == SIGKILL) {
      EXPECT_EQ(code, 128 + SIGKILL);
      EXPECT_TRUE(eventually([&] { return run.record().state == RunState::abandoned; })) << "the watcher takes over";
    } else {
      // A run whose agent has ended well is done, even when a signal comes while it is taken apart.
      EXPECT_TRUE(code == 128 + signal || (moment.short_agent && code == 0)) << code;
      EXPECT_EQ(run.record().state, RunState::ended);
    }
    std::string left = run.left_over();
    if (std::filesystem::exists(run.workspace() / ".git")) left += "the workspace's .git\n";
    std::cout << "  " << std::left << std::setw(10) << test_engine().name << std::setw(16) << moment.name
              << std::setw(5) << strsignal(signal) << "  left over: " << lines_of(left) << "\n";
    EXPECT_EQ(left, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Signals, KillMatrix, testing::Values(SIGINT, SIGTERM, SIGHUP, SIGKILL),
                         [](const auto& signal) {
                           return std::string(signal.param == SIGINT    ? "INT"
                                              : signal.param == SIGTERM ? "TERM"
                                              : signal.param == SIGHUP  ? "HUP"
                                                                        : "KILL");
                         });

}  // namespace
}  // namespace sanduk::test
