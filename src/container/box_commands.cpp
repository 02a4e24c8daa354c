#include "base/text.h"
#include "container/apple_answers.h"
#include "container/box.h"
#include "diagnostics/diagnostic.h"

namespace sanduk {
namespace {

std::string label(const PlannedEngine& engine, std::string_view name) {
  return "\t" + replace_all(engine.label_words, "{label}", name);
}

RunError unreadable(std::string_view line) {
  Diagnostic diagnostic = error("engine-answer", "the engine's list of containers cannot be read");
  diagnostic.note("it holds the line `" + printable(line.substr(0, 200)) + "`");
  return {Failure::host, diagnostic};
}

}  // namespace

std::vector<std::string> start_command(const BoxNames& names) {
  std::vector<std::string> argv = {names.engine.program, "start", "--attach"};
  if (names.interactive) argv.emplace_back("--interactive");
  argv.push_back(names.run_id);
  return argv;
}

std::vector<std::string> stop_command(const BoxNames& names) { return {names.engine.program, "stop", names.run_id}; }

std::vector<std::string> attach_command(const BoxNames& names) {
  if (names.engine.dialect == "apple") return {names.engine.program, "logs", "--follow", names.run_id};
  return {names.engine.program, "attach", "--no-stdin", "--sig-proxy=false", names.run_id};
}

std::vector<std::string> exec_command(const BoxNames& names, bool terminal, const std::vector<std::string>& program) {
  std::vector<std::string> argv = {names.engine.program, "exec"};
  if (terminal) argv.insert(argv.end(), {"--interactive", "--tty"});
  argv.push_back(names.run_id);
  argv.insert(argv.end(), program.begin(), program.end());
  return argv;
}

std::vector<std::string> kill_command(const BoxNames& names) { return {names.engine.program, "kill", names.run_id}; }

std::vector<std::string> remove_command(const BoxNames& names) {
  std::vector<std::string> argv = {names.engine.program};
  argv.insert(argv.end(), names.engine.remove.begin(), names.engine.remove.end());
  argv.push_back(names.run_id);
  return argv;
}

std::vector<std::string> inspect_state_command(const BoxNames& names) {
  if (names.engine.dialect == "apple") return {names.engine.program, "inspect", names.run_id};
  return {names.engine.program,
          "container",
          "inspect",
          "--format",
          "{{.State.Status}} {{.State.ExitCode}} {{.State.OOMKilled}}",
          names.run_id};
}

std::vector<std::string> build_command(const PlannedImage& image, const PlannedEngine& engine, const std::string& file,
                                       const std::string& context, const std::vector<std::string>& inherited) {
  std::vector<std::string> argv = {engine.program, "build"};
  if (engine.dialect != "apple") argv.emplace_back("--force-rm");
  argv.insert(argv.end(), {"--tag", image.ref, "--file", file});
  if (image.rebuild) argv.emplace_back("--no-cache");
  for (const Variable& argument : image.build_arguments) {
    argv.emplace_back("--build-arg");
    argv.push_back(argument.name + "=" + argument.value);
  }
  for (const std::string& name : inherited) argv.insert(argv.end(), {"--build-arg", name});
  argv.push_back(context);
  return argv;
}

StateAnswer read_state(std::string_view answer, const PlannedEngine& engine) {
  if (engine.dialect == "apple") return {.status = read_apple_status(answer)};
  const std::vector<std::string> words = split(trim(answer), ' ');
  StateAnswer state;
  state.status = words.at(0);
  if (words.size() > 1) state.exit_code = static_cast<int>(parse_decimal(words[1]).value_or(-1));
  state.out_of_memory = words.size() > 2 && words[2] == "true";
  return state;
}

std::vector<std::string> inspect_image_command(const PlannedEngine& engine, const std::string& ref) {
  if (engine.dialect == "apple") return {engine.program, "image", "inspect", ref};
  const std::string format = R"({{.Id}} {{index .Config.Labels "sanduk.agent-uid"}})";
  return {engine.program, "image", "inspect", "--format", format, ref};
}

ImageAnswer read_image(std::string_view answer, const PlannedEngine& engine) {
  if (engine.dialect == "apple") return read_apple_image(answer);
  const std::vector<std::string> words = split(trim(answer), ' ');
  // Podman leaves out what every id begins with.
  const std::string prefix = words.at(0).find(':') == std::string::npos ? "sha256:" : "";
  ImageAnswer image{.id = prefix + words.at(0), .agent_uid = {}};
  // Without the label, Go's templates print "<no value>".
  if (words.size() == 2 && parse_decimal(words[1])) image.agent_uid = words[1];
  return image;
}

std::vector<std::string> list_command(const PlannedEngine& engine) {
  if (engine.dialect == "apple") return {engine.program, "list", "--all", "--format", "json"};
  return {engine.program,
          "ps",
          "--all",
          "--no-trunc",
          "--filter",
          "label=" + std::string(label_run),
          "--format",
          "{{.Names}}\t{{.State}}" + label(engine, label_run) + label(engine, label_owner_pid) +
              label(engine, label_owner_start) + label(engine, label_state)};
}

namespace {

// "running", "exited" …: some engines tell more than that, or it in other words ("Up 3 seconds", "Exited (0) 1 hour
// ago").
std::string state_word_of(const std::string& text) {
  const std::string word = lower(split(trim(text), ' ').at(0));
  return word == "up" ? "running" : word == "configured" ? "created" : word;
}

}  // namespace

std::vector<ListedBox> read_list(std::string_view output, const PlannedEngine& engine) {
  if (engine.dialect == "apple") return read_apple_list(output);
  std::vector<ListedBox> boxes;
  for (const std::string& line : split(output, '\n')) {
    if (trim(line).empty()) continue;
    const std::vector<std::string> words = split(line, '\t');
    if (words.size() != 6) throw unreadable(line);
    const std::optional<std::int64_t> pid = parse_decimal(words[3]);
    if (!pid) throw unreadable(line);
    boxes.push_back({words[0], state_word_of(words[1]), words[2], *pid, words[4], words[5]});
  }
  return boxes;
}

}  // namespace sanduk
