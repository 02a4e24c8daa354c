// The fuzzers' corpora, replayed, with every file also cut short and with bytes changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "fuzz/relay_targets.h"

namespace sanduk::test {
namespace {

std::vector<std::string> corpus(const std::string& name) {
  std::vector<std::string> files;
  const std::filesystem::path folder = std::filesystem::path(SANDUK_SOURCE_DIR) / "tests/fuzz/corpus" / name;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    files.push_back(text.str());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Corpus : public ::testing::TestWithParam<FuzzTarget> {};

TEST_P(Corpus, BreaksNothing) {
  const std::vector<std::string> files = corpus(GetParam().name);
  ASSERT_FALSE(files.empty());
  std::mt19937 random(1);
  for (const std::string& file : files) {
    GetParam().run(file);
    for (std::size_t size = 0; size < std::min<std::size_t>(file.size(), 400); ++size)
      GetParam().run(file.substr(0, size));
    for (int round = 0; round < 300 && !file.empty(); ++round) {
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

INSTANTIATE_TEST_SUITE_P(Relay, Corpus, ::testing::ValuesIn(relay_fuzz_targets()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace sanduk::test
