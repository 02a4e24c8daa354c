// Every profile of tests/corpus gives the errors that its manifest says, in TOML, YAML and JSON.
#include "plans/corpus.h"

#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "support/tool.h"

namespace sanduk::test {
namespace {

// The code words of the errors in `text`.
std::set<std::string> codes_in(const std::string& text) {
  std::set<std::string> codes;
  for (std::size_t at = text.find("error["); at != std::string::npos; at = text.find("error[", at + 1)) {
    if (at == 0 || text[at - 1] == '\n') codes.insert(text.substr(at + 6, text.find(']', at) - at - 6));
  }
  return codes;
}

bool fits(const std::set<std::string>& found, const std::string& wanted) {
  std::set<std::string> left = found;
  for (const std::string& word : split(wanted, ',')) {
    bool any = false;
    for (const std::string& choice : split(word, '|')) any = left.erase(choice) > 0 || any;
    if (!any) return false;
  }
  return left.empty();
}

TEST(Corpus, EveryProfileGivesTheErrorsThatItsManifestSays) {
  const std::vector<CorpusCase> cases = corpus_cases();
  EXPECT_GE(cases.size(), 200U);
  Scratch scratch;
  copy_corpus(scratch);
  for (const CorpusCase& one : cases) {
    const ToolRun run = run_tool(scratch, {"validate", one.file});
    const std::set<std::string> found = codes_in(run.errors);
    if (one.codes == "-") {
      EXPECT_EQ(run.code, 0) << one.file << "\n" << run.errors;
      EXPECT_TRUE(found.empty()) << one.file << "\n" << run.errors;
    } else {
      EXPECT_EQ(run.code, 2) << one.file;
      EXPECT_TRUE(fits(found, one.codes)) << one.file << ": wanted " << one.codes << ", got\n" << run.errors;
    }
    EXPECT_EQ(run.output, "") << one.file;
  }
}

}  // namespace
}  // namespace sanduk::test
