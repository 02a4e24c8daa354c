// Every message that a user can meet before anything runs, compared word for word.
//
// tests/messages/CODE/CASE/ holds
//   profile.toml, profile.yaml   what `sanduk validate` reads (one or both)
//   args                         more words for the command line, one a line
//   command                      instead of both: all the words behind `sanduk`, one a line
//   setup                        shell lines that run in the copy first, for what a repository cannot hold
//   expected.txt                 standard error, byte for byte; expected.yaml.txt where YAML's differs
// and whatever else the profile names.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/process.h"
#include "base/text.h"
#include "support/golden.h"
#include "support/tool.h"

namespace sanduk::test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(SANDUK_SOURCE_DIR) / "tests/messages";

struct Case {
  std::string code;
  std::string name;
  fs::path directory() const { return folder / code / name; }
};

std::vector<fs::path> directories_in(const fs::path& path) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.is_directory()) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const fs::path& code : directories_in(folder)) {
    for (const fs::path& name : directories_in(code)) cases.push_back({code.filename(), name.filename()});
  }
  return cases;
}

std::vector<std::string> words_in(const fs::path& file) {
  std::vector<std::string> words = split(read_whole(file), '\n');
  if (!words.empty() && words.back().empty()) words.pop_back();
  return words;
}

// The copy's own places are not the same twice.
std::string without_places(std::string text, const Scratch& scratch) {
  text = replace_all(text, scratch.work().string(), "{WORK}");
  text = replace_all(text, scratch.home().string(), "{HOME}");
  return replace_all(text, scratch.work().parent_path().string(), "{SCRATCH}");
}

void prepare(const Case& one, const Scratch& scratch) {
  fs::copy(one.directory(), scratch.work(), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  for (const char* ours : {"expected.txt", "expected.yaml.txt", "args", "command", "setup"})
    fs::remove(scratch.work() / ours);
  if (!fs::exists(one.directory() / "setup")) return;
  Command setup;
  setup.argv = {
      "env", "-C",  scratch.work(),           "HOME=" + scratch.home().string(), std::string("SANDUK=") + SANDUK_BINARY,
      "sh",  "-eu", one.directory() / "setup"};
  const ProcessResult result = run_process(setup, std::chrono::seconds(20));
  ASSERT_TRUE(result.ok()) << result.errors;
}

void check(const Case& one, const Scratch& scratch, const std::vector<std::string>& words, const fs::path& expected) {
  const ToolRun run = run_tool(scratch, words);
  const bool refused = run.errors.find("; nothing was started\n") != std::string::npos;
  EXPECT_EQ(run.code, refused ? 2 : 0) << run.errors;
  EXPECT_NE(run.errors.find("[" + one.code + "]: "), std::string::npos)
      << "the case shows another code than its folder says:\n"
      << run.errors;
  EXPECT_EQ(run.errors.find('\x1b'), std::string::npos);
  if (words[0] == "validate") {
    EXPECT_EQ(run.output, "");
  }
  EXPECT_EQ(difference_from(expected, without_places(run.errors, scratch)), "");
}

class Message : public testing::TestWithParam<Case> {};

TEST_P(Message, IsAsExpected) {
  const Case& one = GetParam();
  Scratch scratch;
  prepare(one, scratch);
  const fs::path expected = one.directory() / "expected.txt";
  if (fs::exists(one.directory() / "command")) {
    check(one, scratch, words_in(one.directory() / "command"), expected);
    SKIP_WHEN_ACCEPTING();
    return;
  }
  std::vector<std::string> more;
  if (fs::exists(one.directory() / "args")) more = words_in(one.directory() / "args");
  const fs::path own = one.directory() / "expected.yaml.txt";
  bool any = false;
  for (const char* profile : {"profile.toml", "profile.yaml"}) {
    if (!fs::exists(one.directory() / profile)) continue;
    const bool differs = std::string(profile) == "profile.yaml" && any && fs::exists(own);
    std::vector<std::string> words = {"validate", profile};
    words.insert(words.end(), more.begin(), more.end());
    check(one, scratch, words, differs ? own : expected);
    any = true;
  }
  EXPECT_TRUE(any) << one.directory() << " holds neither a profile nor a command";
  SKIP_WHEN_ACCEPTING();
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return replace_all(replace_all(info.param.code + "__" + info.param.name, "-", "_"), ".", "_");
}

INSTANTIATE_TEST_SUITE_P(All, Message, testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace sanduk::test
