#include "support/tool.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/process.h"

namespace sanduk::test {

ToolRun run_tool(const Scratch& scratch, const ToolCall& call) {
  std::map<std::string, std::string> variables = {
      {"PATH", getenv("PATH")}, {"HOME", scratch.home()}, {"LC_ALL", "C.UTF-8"}};
  // Sanitizers are told by variables where to report.
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = getenv(name)) variables[name] = value;
  }
  for (const auto& [name, value] : call.variables) variables[name] = value;

  Command command;
  command.argv = {"env", "-i", "-C", call.directory.value_or(scratch.work())};
  for (const auto& [name, value] : variables) command.argv.push_back(name + "=" + value);
  command.argv.emplace_back(SANDUK_BINARY);
  command.argv.insert(command.argv.end(), call.words.begin(), call.words.end());
  command.input = call.input;
  const ProcessResult result = run_process(command, std::chrono::seconds(60));
  EXPECT_TRUE(result.started) << result.error;
  EXPECT_FALSE(result.timed_out);
  return {result.exit_code, result.output, result.errors};
}

ToolRun run_tool(const Scratch& scratch, const std::vector<std::string>& words) {
  ToolCall call;
  call.words = words;
  return run_tool(scratch, call);
}

}  // namespace sanduk::test
