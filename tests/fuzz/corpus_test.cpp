// The fuzzers' corpora, replayed, with every file also cut short and with bytes changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "fuzz/targets.h"
#include "support/scratch.h"

namespace sanduk::test {
namespace {

void add_files(const std::filesystem::path& folder, const std::string& extension, std::vector<std::string>& files) {
  if (!std::filesystem::is_directory(folder)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (extension.empty() || entry.path().extension() == extension) files.push_back(read_whole(entry.path()));
  }
}

// What the fuzzer of `name` found worth keeping; for a reader of profiles, the profiles of tests/corpus as well.
std::vector<std::string> corpus(const std::string& name) {
  const std::filesystem::path tests = std::filesystem::path(SANDUK_SOURCE_DIR) / "tests";
  std::vector<std::string> files;
  add_files(tests / "fuzz/corpus" / name, "", files);
  for (const char* const folder : {"good", "bad"}) add_files(tests / "corpus" / folder, "." + name, files);
  std::sort(files.begin(), files.end());
  return files;
}

class Corpus : public ::testing::TestWithParam<FuzzTarget> {};

TEST_P(Corpus, BreaksNothing) {
  const std::vector<std::string> files = corpus(GetParam().name);
  ASSERT_FALSE(files.empty());
  std::mt19937 random(1);
  // The more files, the fewer changes of each: a few seconds in all.
  const std::size_t rounds = std::max<std::size_t>(5, 3000 / files.size());
  for (const std::string& file : files) {
    GetParam().run(file);
    const std::size_t step = 1 + file.size() / rounds;
    for (std::size_t size = 0; size < file.size(); size += step) GetParam().run(file.substr(0, size));
    for (std::size_t round = 0; round < rounds && !file.empty(); ++round) {
      std::string changed = file;
      for (unsigned i = 0; i <= random() % 4; ++i) {
        const std::size_t at = random() % changed.size();
        switch (random() % 3) {
          case 0:
            changed[at] = static_cast<char>(random());
            break;
          case 1:
            changed.erase(at, 1 + random() % 8);
            break;
          default:
            changed.insert(at, changed.substr(random() % changed.size(), random() % 16));
            break;
        }
        if (changed.empty()) break;
      }
      GetParam().run(changed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Profile, Corpus, ::testing::ValuesIn(profile_fuzz_targets()),
                         [](const auto& one) { return std::string(one.param.name); });

INSTANTIATE_TEST_SUITE_P(Relay, Corpus, ::testing::ValuesIn(relay_fuzz_targets()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace sanduk::test
