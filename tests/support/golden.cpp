#include "support/golden.h"

#include <stdlib.h>

#include <fstream>
#include <iterator>

#include "base/text.h"

namespace sanduk::test {

bool accepting() {
  const char* accept = getenv("SANDUK_ACCEPT");
  return accept != nullptr && std::string(accept) == "1";
}

std::string difference_from(const std::filesystem::path& file, const std::string& text) {
  if (accepting()) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return "";
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return file.string() + " is missing; SANDUK_ACCEPT=1 writes it. The text is:\n" + text;
  const std::string expected{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (expected == text) return "";
  const std::vector<std::string> left = split(expected, '\n');
  const std::vector<std::string> right = split(text, '\n');
  std::size_t line = 0;
  while (line < left.size() && line < right.size() && left[line] == right[line]) ++line;
  const auto at = [&](const std::vector<std::string>& lines) {
    return line < lines.size() ? lines[line] : "(the end)";
  };
  return file.string() + " differs from line " + std::to_string(line + 1) + "\n  expected: " + at(left) +
         "\n  it is:    " + at(right) + "\nthe whole text:\n" + text;
}

}  // namespace sanduk::test
