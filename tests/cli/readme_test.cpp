// The commands that README.md shows, run as they stand there.
#include <gtest/gtest.h>

#include <map>

#include "base/text.h"
#include "support/golden.h"
#include "support/tool.h"

namespace sanduk::test {
namespace {

namespace fs = std::filesystem;

// What is shown and not run here, and where it is.
const std::map<std::string, std::string> run_elsewhere = {
    {"sanduk apply profile.toml", "needs a key; tests/container/claude_tls_test.cpp applies such a profile"},
    {"sanduk apply plan.json", "needs an engine; tests/container/run_execute_test.cpp, tests/cli/plan_file_test.cpp"},
    {"make demo", "by hand and in the closing of every release; it is the quickstart of tests/container"},
    {"make test", "is what runs this"},
};

std::vector<std::string> shown_commands() {
  std::vector<std::string> commands;
  bool inside = false;
  for (const std::string& line : split(read_whole(fs::path(SANDUK_SOURCE_DIR) / "README.md"), '\n')) {
    if (line.starts_with("```")) {
      inside = line == "```sh";
    } else if (inside && !line.empty()) {
      commands.push_back(line);
    }
  }
  return commands;
}

TEST(Readme, ItsCommandsWork) {
  const Scratch scratch;
  fs::copy(fs::path(SANDUK_SOURCE_DIR) / "examples", scratch.work() / "examples", fs::copy_options::recursive);
  std::size_t run_here = 0;
  for (const std::string& command : shown_commands()) {
    if (run_elsewhere.contains(command)) continue;
    std::vector<std::string> words = split(command, ' ');
    ASSERT_EQ(words.at(0), "sanduk") << command;
    words.erase(words.begin());
    const ToolRun run = run_tool(scratch, words);
    EXPECT_EQ(run.code, 0) << command << "\n" << run.errors;
    ++run_here;
  }
  EXPECT_GE(run_here, 6U);
}

}  // namespace
}  // namespace sanduk::test
