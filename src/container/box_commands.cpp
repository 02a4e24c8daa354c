#include "base/text.h"
#include "container/box.h"
#include "container/engine_facts.h"
#include "diagnostics/diagnostic.h"

namespace sanduk {
namespace {

std::string label(std::string_view name) { return "\t{{.Label \"" + std::string(name) + "\"}}"; }

RunError unreadable(std::string_view line) {
  Diagnostic diagnostic = error("engine-answer", "the engine's list of containers cannot be read");
  diagnostic.note("it holds the line `" + printable(line.substr(0, 200)) + "`");
  return {Failure::host, diagnostic};
}

}  // namespace

std::vector<std::string> start_command(const BoxNames& names) {
  return {engine_facts(names.engine).program, "start", "--attach", names.run_id};
}

std::vector<std::string> kill_command(const BoxNames& names) {
  return {engine_facts(names.engine).program, "kill", names.run_id};
}

std::vector<std::string> remove_command(const BoxNames& names) {
  return {engine_facts(names.engine).program, "rm", "--force", "--volumes", names.run_id};
}

std::vector<std::string> inspect_state_command(const BoxNames& names) {
  return {engine_facts(names.engine).program,
          "container",
          "inspect",
          "--format",
          "{{.State.Status}} {{.State.ExitCode}} {{.State.OOMKilled}}",
          names.run_id};
}

std::vector<std::string> list_command(const std::string& engine) {
  return {engine_facts(engine).program,
          "ps",
          "--all",
          "--no-trunc",
          "--filter",
          "label=" + std::string(label_run),
          "--format",
          "{{.Names}}\t{{.State}}" + label(label_run) + label(label_owner_pid) + label(label_owner_start) +
              label(label_state)};
}

std::vector<ListedBox> read_list(std::string_view output) {
  std::vector<ListedBox> boxes;
  for (const std::string& line : split(output, '\n')) {
    if (trim(line).empty()) continue;
    const std::vector<std::string> words = split(line, '\t');
    if (words.size() != 6) throw unreadable(line);
    const std::optional<std::int64_t> pid = parse_decimal(words[3]);
    if (!pid) throw unreadable(line);
    boxes.push_back({words[0], words[1], words[2], *pid, words[4], words[5]});
  }
  return boxes;
}

}  // namespace sanduk
