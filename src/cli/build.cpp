// sanduk build and sanduk shell: the image of a run alone, and a person in the place of the agent.
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/engine_words.h"
#include "cli/exit_code.h"
#include "cli/profile_call.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "engine/execute.h"
#include "engine/stop_signals.h"
#include "plan/plan_json.h"

namespace sanduk {
namespace {

// Without a profile, that of `sanduk run`; and without a task, for nobody is asked to do anything.
std::optional<Plan> plan_without_task(const Invocation& call, World& world, Diagnostics& problems) {
  Invocation run = call;
  if (run.words.empty() && run.line.settings.root.find("task") == nullptr) {
    Node task;
    task.kind = Node::Kind::string;
    task.text = "-";
    run.line.settings.root.entries.push_back({"task", {}, task});
  }
  return make_plan(run, call.words.empty() ? std::vector<std::string>{"sanduk:run"} : call.words, world, problems);
}

RunOutcome do_goal(const Invocation& call, const Plan& plan, World& world, Goal goal) {
  const StopSignals signals;
  world.stop_fd = signals.fd();
  Progress progress(call.terminal.interactive, call.has("--quiet"));
  EventListeners listeners;
  // While a person types, the terminal is theirs.
  bool theirs = false;
  listeners.add([&](const Event& event) {
    if (const auto* step = std::get_if<StepStarted>(&event)) {
      theirs = goal == Goal::shell && step->step == "agent";
      if (theirs) progress.finish();
    }
    if (!theirs) progress.listen(event);
  });
  const RunOutcome outcome = execute(plan, write_plan_json(plan), world, listeners, goal);
  progress.finish();
  return outcome;
}

}  // namespace

int run_build(const Invocation& call, World& world) {
  Diagnostics problems;
  std::optional<Plan> plan = plan_without_task(call, world, problems);
  const int code = report_problems(problems, call.terminal);
  if (!plan || code != exit_done) return code;
  if (plan->image.containerfile.empty() && plan->image.recipe.empty()) {
    Diagnostics nothing;
    nothing.add(error("no-effect", "there is nothing to build the image `" + plan->image.ref + "` from")
                    .with_help("give --containerfile FILE, or leave --image out to build the agent's own"));
    return report_problems(nothing, call.terminal);
  }
  if (call.has("--force")) plan->image.rebuild = true;
  if (call.has("--dry-run")) {
    print_result(build_command_line(*plan));
    return exit_done;
  }
  const RunOutcome outcome = do_goal(call, *plan, world, Goal::build);
  if (outcome.status == RunStatus::done) {
    JsonWriter json;
    json.begin_object().field("image", plan->image.ref).field("record", outcome.record_directory).end_object();
    print_result(call.has("--json") ? json.text() + "\n" : plan->image.ref + "\n");
  } else {
    print_message(outcome_summary(outcome, call.terminal, call.has("--quiet")));
  }
  return outcome.exit_code;
}

int run_shell(const Invocation& call, World& world) {
  Diagnostics problems;
  std::optional<Plan> plan = plan_without_task(call, world, problems);
  const int code = report_problems(problems, call.terminal);
  if (!plan || code != exit_done) return code;
  plan->agent.argv = {"/bin/sh", "-c", "if command -v bash >/dev/null; then exec bash -i; fi; exec sh -i"};
  plan->agent.reader = "plain";
  plan->name = "shell";
  plan->workspace.report = "";
  if (call.has("--dry-run")) {
    print_result(engine_command_lines(*plan));
    return exit_done;
  }
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) {
    Diagnostics nobody;
    nobody.add(error("no-terminal", "`sanduk shell` needs a terminal on standard input and output")
                   .with_help("to run a program in the box of a run: sanduk exec RUN -- PROGRAM"));
    return report_problems(nobody, call.terminal);
  }
  const RunOutcome outcome = do_goal(call, *plan, world, Goal::shell);
  // How a shell ended is its user's affair; all else is told.
  if (outcome.status != RunStatus::done && outcome.status != RunStatus::agent_failed)
    print_message(outcome_summary(outcome, call.terminal, call.has("--quiet")));
  return outcome.exit_code;
}

}  // namespace sanduk
