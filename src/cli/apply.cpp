// sanduk apply FILE|plan.json and sanduk run TASK.
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/profile_call.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "container/box.h"
#include "engine/execute.h"
#include "engine/stop_signals.h"
#include "plan/plan_json.h"

namespace sanduk {
namespace {

constexpr std::size_t largest_plan = std::size_t{8} << 20;

std::optional<Plan> read_saved_plan(const Invocation& call, Diagnostics& problems) {
  for (const Entry& entry : call.line.settings.root.entries) {
    problems.add(error("no-effect", "a saved plan is run as it is: settings have no effect on it").at(entry.key_span)
                     .with_help("apply the profile instead, or write the plan anew"));
  }
  const std::string& name = call.words[0];
  if (call.words.size() > 1) {
    problems.add(error("usage", "one plan at a time").at(call.span_of_word(1)).with_help("apply them one after the other"));
  }
  FileResult<std::string> text = read_file(name, largest_plan);
  if (!text) {
    problems.add(error("unreadable-file", text.error().message).at(call.span_of_word(0)).with_help("write a plan with: sanduk plan PROFILE -o FILE"));
    return std::nullopt;
  }
  return read_plan_json(*text, name, problems);
}

// The engine's commands as a shell would take them; names that only a run knows stay in braces.
std::string dry_run_text(const Plan& plan) {
  BoxNames names;
  names.run_id = "{run}";
  names.engine = plan.engines.empty() ? "docker" : plan.engines[0];
  names.image = plan.image.ref;
  names.socket_directory = "{relay}";
  names.helper_directory = "{helper}";
  names.guard_directory = "{guard}";
  names.owner_start_time = "{start}";
  names.state_directory = "{state}";
  std::string text;
  for (const std::vector<std::string>& argv : {create_command(plan, names), start_command(names), remove_command(names)}) {
    std::vector<std::string> words;
    for (const std::string& word : argv) words.push_back(shell_quoted(word));
    text += printable(join(words, " "), true) + "\n";
  }
  return text;
}

int do_plan(const Invocation& call, const Plan& plan, World& world) {
  if (call.has("--dry-run")) {
    print_result(dry_run_text(plan));
    return exit_done;
  }
  // Doing it. Beyond this point every step has an undo.
  const StopSignals signals;
  world.stop_fd = signals.fd();
  Progress progress(call.terminal.interactive, call.has("--quiet"));
  EventListeners listeners;
  listeners.add([&](const Event& event) { progress.listen(event); });
  const RunOutcome outcome = execute(plan, write_plan_json(plan), world, listeners);
  progress.finish();
  print_result(call.has("--json") ? outcome_json(outcome) : outcome_result(outcome));
  print_message(outcome_summary(outcome, call.terminal, call.has("--quiet")));
  return outcome.exit_code;
}

int apply_plan(const Invocation& call, const std::optional<Plan>& plan, Diagnostics& problems, World& world) {
  const int code = report_problems(problems, call.terminal);
  return plan && code == exit_done ? do_plan(call, *plan, world) : code;
}

}  // namespace

int run_apply(const Invocation& call, World& world) {
  Diagnostics problems;
  const bool is_plan = call.words[0].ends_with(".json");
  const std::optional<Plan> plan = is_plan ? read_saved_plan(call, problems) : make_plan(call, call.words, world, problems);
  return apply_plan(call, plan, problems, world);
}

int run_run(const Invocation& call, World& world) {
  Diagnostics problems;
  Invocation run = call;
  // The task is a setting like any other: it stands on the command line.
  if (!call.words.empty()) {
    Node task;
    task.kind = Node::Kind::string;
    task.text = call.words[0];
    task.span = call.span_of_word(0);
    if (const Entry* other = run.line.settings.root.find("task")) {
      problems.add(error("repeated-flag", "the task is given twice").at(task.span).at(other->key_span, "and here").with_help("keep one of the two"));
    } else {
      run.line.settings.root.entries.push_back({"task", task.span, task});
    }
  }
  const std::optional<Plan> plan = make_plan(run, {"sanduk:run"}, world, problems);
  return apply_plan(run, plan, problems, world);
}

}  // namespace sanduk
