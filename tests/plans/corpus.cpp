#include "plans/corpus.h"

#include <filesystem>
#include <sstream>

namespace sanduk::test {
namespace {

namespace fs = std::filesystem;

const fs::path corpus = fs::path(SANDUK_SOURCE_DIR) / "tests/corpus";

}  // namespace

std::vector<CorpusCase> corpus_cases() {
  std::vector<CorpusCase> cases;
  std::istringstream lines(read_whole(corpus / "manifest.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    CorpusCase one;
    words >> one.file >> one.codes >> one.schema;
    cases.push_back(one);
  }
  return cases;
}

void copy_corpus(const Scratch& scratch) {
  fs::copy(corpus, scratch.work(), fs::copy_options::recursive);
  for (const std::string kind : {"good", "bad"}) {
    for (const char* directory : {"work", "data"}) fs::create_directories(scratch.work() / kind / directory);
    scratch.write("work/" + kind + "/task.md", "Say hello.\n");
    scratch.write("work/" + kind + "/Containerfile", "FROM scratch\n");
    scratch.write("work/" + kind + "/key.txt", "not-a-key\n");
    scratch.write("work/" + kind + "/answers.jsonl", "{}\n");
  }
}

}  // namespace sanduk::test
