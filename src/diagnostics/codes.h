// Every code word that a message can carry, with a paragraph on what it means: the table behind `sanduk explain`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sanduk {

struct CodeDoc {
  std::string_view code;
  std::string_view paragraph;
};

struct CodeGroup {
  std::string_view title;
  std::vector<CodeDoc> codes;
};

const std::vector<CodeGroup>& code_groups();

// Nothing for a word that is no code.
const CodeDoc* find_code(std::string_view code);

std::vector<std::string> code_words();

}  // namespace sanduk
