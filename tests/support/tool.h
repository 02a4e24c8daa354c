// Runs the real program the way a user does, in an environment that holds nothing but what a test says.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/scratch.h"

namespace sanduk::test {

struct ToolCall {
  std::vector<std::string> words;
  std::map<std::string, std::string> variables;    // beside PATH, HOME and a locale
  std::optional<std::filesystem::path> directory;  // default: the scratch's work/
  std::optional<std::string> input;
};

struct ToolRun {
  int code = -1;
  std::string output;
  std::string errors;
};

ToolRun run_tool(const Scratch& scratch, const ToolCall& call);
ToolRun run_tool(const Scratch& scratch, const std::vector<std::string>& words);

}  // namespace sanduk::test
