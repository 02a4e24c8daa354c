// The profiles of tests/corpus, and what is to be found in each.
#pragma once

#include <string>
#include <vector>

#include "support/scratch.h"

namespace sanduk::test {

struct CorpusCase {
  std::string file;    // "bad/unknown-key-00.toml"
  std::string codes;   // "-" for none; "a,b" for both; "a|b" for either
  std::string schema;  // whether the JSON Schema accepts it: "yes", "no", "-" where that is not asked
};

std::vector<CorpusCase> corpus_cases();

// The corpus into the scratch's work/, with the files and directories that its profiles name.
void copy_corpus(const Scratch& scratch);

}  // namespace sanduk::test
