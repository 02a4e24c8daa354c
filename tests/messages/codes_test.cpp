// Every code word of the sources has a folder of messages, or a row here that says where else it is proved.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "base/text.h"
#include "support/scratch.h"

namespace sanduk::test {
namespace {

namespace fs = std::filesystem;

const fs::path root = SANDUK_SOURCE_DIR;

// Words that only a run, a host or a provider brings about: the file that proves them, and names the word.
const std::map<std::string, std::string> proved_elsewhere = {
    {"agent-failed", "tests/unit/engine_execute_test.cpp"},
    {"argument-too-long", "tests/unit/container_create_command_test.cpp"},
    {"bad-proxy", "tests/relay/proxy_test.cpp"},
    {"bad-cassette", "tests/relay/replay_test.cpp"},
    {"box-broken", "tests/unit/engine_execute_test.cpp"},
    {"box-not-as-planned", "tests/unit/engine_record_test.cpp"},
    {"cannot-listen", "tests/relay/front_test.cpp"},
    {"cannot-record", "tests/relay/replay_test.cpp"},
    {"cannot-log", "tests/relay/lifecycle_test.cpp"},
    {"container-failed", "tests/unit/engine_execute_test.cpp"},
    {"engine-denied", "tests/unit/engine_execute_test.cpp"},
    {"engine-missing", "tests/unit/engine_execute_test.cpp"},
    {"engine-stopped", "tests/unit/engine_execute_test.cpp"},
    {"image-build-failed", "tests/unit/engine_execute_test.cpp"},
    {"image-missing", "tests/unit/engine_execute_test.cpp"},
    {"image-uid", "tests/unit/engine_execute_test.cpp"},
    {"internal-error", "tests/unit/engine_execute_test.cpp"},
    {"interrupted", "tests/unit/engine_signals_test.cpp"},
    {"run-directory", "tests/unit/engine_execute_test.cpp"},
    {"key-refused", "tests/unit/engine_record_test.cpp"},
    {"network-failed", "tests/container/gateway_test.cpp"},
    {"network-routable", "tests/unit/container_network_test.cpp"},
    {"mount-path", "tests/unit/container_create_command_test.cpp"},
    {"no-copy", "tests/cli/changes_test.cpp"},
    {"run-is-live", "tests/cli/changes_test.cpp"},
    {"take-conflict", "tests/cli/changes_test.cpp"},
    {"workspace-copy", "tests/cli/changes_test.cpp"},
    {"no-terminal", "tests/cli/runs_test.cpp"},
    {"not-managed", "tests/cli/runs_test.cpp"},
    {"run-not-running", "tests/cli/runs_test.cpp"},
    {"unknown-run", "tests/cli/runs_test.cpp"},
    {"engine-answer", "tests/cli/runs_test.cpp"},
    {"no-final-result", "tests/unit/engine_execute_test.cpp"},
    {"out-of-memory", "tests/unit/engine_execute_test.cpp"},
    {"plan-stale", "tests/cli/plan_file_test.cpp"},
    {"protected-path-is-link", "tests/unit/container_covers_test.cpp"},
    {"record-unwritable", "tests/unit/engine_record_test.cpp"},
    {"report-missing", "tests/unit/engine_execute_test.cpp"},
    {"timed-out", "tests/unit/engine_execute_test.cpp"},
    {"tls-not-ready", "tests/relay/tls_test.cpp"},
    {"verify-failed", "tests/container/own_agent_test.cpp"},
};

// Words that the sources put together from two parts.
const std::map<std::string, std::string> put_together = {
    {"unknown-agent", "unknown-"},
    {"unknown-engine", "unknown-"},
    {"unknown-provider", "unknown-"},
};

std::vector<fs::path> sources() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    const std::string extension = entry.path().extension();
    if (extension == ".cpp" || extension == ".h") found.push_back(entry.path());
  }
  return found;
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> words;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) words.insert((*at)[1]);
  return words;
}

// A word is used by a call of error(), warning() or fault(), by a choice of two inside one, or stands in codes.h.
std::set<std::string> codes_in_use() {
  const std::regex call(R"re(\b(?:error|warning|fault|refuse_with)\(\s*"([a-z][a-z0-9]*(?:-[a-z0-9]*)*)")re");
  const std::regex choice(R"re(\b(?:error|warning|fault)\([^";]*\?\s*"([a-z][a-z0-9-]*)"\s*:)re");
  const std::regex listed(R"re(string_view [a-z_]+ =\s*"([a-z][a-z0-9-]*)")re");
  std::set<std::string> words;
  for (const fs::path& source : sources()) {
    const std::string text = read_whole(source);
    words.merge(matches(text, call));
    words.merge(matches(text, choice));
    if (source.filename() == "codes.h") words.merge(matches(text, listed));
  }
  for (const auto& [word, part] : put_together) {
    EXPECT_TRUE(words.contains(part)) << "`" << word << "` is put together from `" << part << "`, which is gone";
    words.insert(word);
  }
  words.erase("unknown-");
  words.erase("usage-");
  return words;
}

std::set<std::string> codes_with_folder() {
  std::set<std::string> words;
  for (const auto& entry : fs::directory_iterator(root / "tests/messages")) {
    if (entry.is_directory()) words.insert(entry.path().filename());
  }
  return words;
}

TEST(Codes, EveryOneHasItsMessages) {
  const std::set<std::string> folders = codes_with_folder();
  for (const std::string& word : codes_in_use()) {
    EXPECT_TRUE(folders.contains(word) || proved_elsewhere.contains(word))
        << "`" << word << "` has no folder in tests/messages, and no row in proved_elsewhere";
  }
}

TEST(Codes, EveryFolderIsOfACode) {
  const std::set<std::string> used = codes_in_use();
  for (const std::string& word : codes_with_folder())
    EXPECT_TRUE(used.contains(word)) << "no source says `" << word << "`";
}

TEST(Codes, EveryRowOfTheTableIsTrue) {
  const std::set<std::string> used = codes_in_use();
  const std::set<std::string> folders = codes_with_folder();
  for (const auto& [word, file] : proved_elsewhere) {
    EXPECT_TRUE(used.contains(word)) << "no source says `" << word << "`";
    EXPECT_FALSE(folders.contains(word)) << "`" << word << "` has a folder now: take the row out";
    ASSERT_TRUE(fs::exists(root / file)) << file;
    const std::string text = read_whole(root / file);
    const bool named =
        text.find(word) != std::string::npos || text.find(replace_all(word, "-", "_")) != std::string::npos;
    EXPECT_TRUE(named) << file << " does not name `" << word << "`";
  }
}

}  // namespace
}  // namespace sanduk::test
