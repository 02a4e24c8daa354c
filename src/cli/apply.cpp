// sanduk apply FILE|plan.json and sanduk run TASK.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "cli/commands.h"
#include "cli/engine_words.h"
#include "cli/exit_code.h"
#include "cli/profile_call.h"
#include "cli/progress.h"
#include "cli/saved_plan.h"
#include "cli/summary.h"
#include "engine/execute.h"
#include "engine/stop_signals.h"
#include "plan/plan_json.h"

namespace sanduk {
namespace {

constexpr std::size_t most_task = std::size_t{1} << 20;

int do_plan(const Invocation& call, const Plan& plan, World& world) {
  if (call.has("--dry-run")) {
    print_result(engine_command_lines(plan));
    return exit_done;
  }
  // Doing it. Beyond this point every step has an undo.
  const StopSignals signals;
  world.stop_fd = signals.fd();
  Progress progress(call.terminal.interactive, call.has("--quiet"));
  if (plan.log.json_lines) progress.tell_calls_as_json();
  EventListeners listeners;
  listeners.add([&](const Event& event) { progress.listen(event); });
  const RunOutcome outcome = execute(plan, write_plan_json(plan), world, listeners);
  progress.finish();
  print_result(call.has("--json") ? outcome_json(outcome) : outcome_result(outcome));
  print_message(outcome_summary(outcome, call.terminal, call.has("--quiet")));
  return outcome.exit_code;
}

// All of standard input, for `sanduk run -`.
std::string task_from_input(const Span& where, Diagnostics& problems) {
  std::string text;
  std::array<char, 65536> piece{};
  for (ssize_t got = 0; (got = read(STDIN_FILENO, piece.data(), piece.size())) != 0 && text.size() <= most_task;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      problems.add(error("unreadable-file",
                         "cannot read the task from standard input: " + std::generic_category().message(errno))
                       .at(where)
                       .with_help("pipe it: sanduk run - < task.md"));
      break;
    }
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  if (text.size() > most_task) {
    problems.add(error("task-too-long", "the task on standard input is longer than 1 MiB")
                     .at(where)
                     .with_help("put the long part into a file in the workspace, and name it in the task"));
    text.resize(1);
  }
  return text;
}

int apply_plan(const Invocation& call, const std::optional<Plan>& plan, Diagnostics& problems, World& world) {
  const int code = report_problems(problems, call.terminal);
  return plan && code == exit_done ? do_plan(call, *plan, world) : code;
}

}  // namespace

int run_apply(const Invocation& call, World& world) {
  Diagnostics problems;
  const std::optional<Plan> plan = is_saved_plan(call.words[0]) ? read_saved_plan(call, world, problems)
                                                                : make_plan(call, call.words, world, problems);
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
    if (task.text == "-") task.text = task_from_input(task.span, problems);
    if (const Entry* other = run.line.settings.root.find("task")) {
      problems.add(error("repeated-flag", "the task is given twice")
                       .at(task.span)
                       .at(other->key_span, "and here")
                       .with_help("keep one of the two"));
    } else {
      run.line.settings.root.entries.push_back({"task", task.span, task});
    }
  }
  const std::optional<Plan> plan = make_plan(run, {"sanduk:run"}, world, problems);
  return apply_plan(run, plan, problems, world);
}

}  // namespace sanduk
