// Texts that are kept in files and compared. With SANDUK_ACCEPT=1 they are written instead, and the test is skipped:
// a run that accepts never passes.
#pragma once

#include <filesystem>
#include <string>

namespace sanduk::test {

bool accepting();

// The first difference between `file` and `text`, in words; empty when they are equal. When accepting, `file` is
// rewritten and nothing differs.
std::string difference_from(const std::filesystem::path& file, const std::string& text);

}  // namespace sanduk::test

// Ends the test as skipped when golden files were written; the last line of every test that compares them.
#define SKIP_WHEN_ACCEPTING() \
  if (sanduk::test::accepting()) GTEST_SKIP() << "accepted: the expected files were rewritten, nothing was compared"
