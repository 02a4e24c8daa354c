#include "cli/engine_words.h"

#include <filesystem>

#include "base/text.h"
#include "container/box.h"

namespace sanduk {

std::vector<std::vector<std::string>> engine_commands(const Plan& plan) {
  BoxNames names;
  names.run_id = "{run}";
  if (!plan.engines.empty()) names.engine = plan.engines[0];
  names.image = plan.image.ref;
  names.socket_directory = "{relay}";
  names.helper_directory = "{helper}";
  names.guard_directory = "{guard}";
  names.owner_start_time = "{start}";
  names.state_directory = "{state}";
  if (!plan.agent.input.empty()) names.input_file = "{input}";
  return {create_command(plan, names), start_command(names), remove_command(names)};
}

std::string engine_command_lines(const Plan& plan) {
  std::string text;
  for (const std::vector<std::string>& argv : engine_commands(plan)) {
    std::vector<std::string> words;
    for (const std::string& word : argv) words.push_back(shell_quoted(word));
    text += printable(join(words, " "), true) + "\n";
  }
  return text;
}

std::string build_command_line(const Plan& plan) {
  const bool builtin = plan.image.containerfile.starts_with("builtin:");
  const std::filesystem::path file = plan.image.containerfile;
  const std::vector<std::string> argv = build_command(
      plan.image, plan.engines.empty() ? PlannedEngine{} : plan.engines[0],
      builtin ? "{build}/Containerfile" : file.string(), builtin ? "{build}/context" : file.parent_path().string(), {});
  std::vector<std::string> words;
  for (const std::string& word : argv) words.push_back(shell_quoted(word));
  return printable(join(words, " ")) + "\n";
}

std::string engine_group(const Plan& plan) {
  std::string text = "\nengine's words\n";
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) text += "  " + printable(line) + "\n";
    line.clear();
  };
  const std::vector<std::string> argv = engine_commands(plan).at(0);
  for (const std::string& word : argv) {
    // A flag begins a line, its value follows it.
    if (word.starts_with('-') || line.find(' ') != std::string::npos) flush();
    const std::string shown = word == plan.task && !word.empty() ? "{task}" : shell_quoted(word);
    line += (line.empty() ? "" : " ") + shown;
  }
  flush();
  return text;
}

}  // namespace sanduk
