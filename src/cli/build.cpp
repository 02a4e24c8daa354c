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
#include "profile/image_lock.h"

namespace sanduk {
namespace {

// Without a profile, that of `sanduk run`; and without a task, for nobody is asked to do anything.
std::optional<Plan> plan_without_task(const Invocation& call, World& world, Diagnostics& problems, Images images) {
  Invocation run = call;
  if (run.words.empty() && run.line.settings.root.find("task") == nullptr) {
    Node task;
    task.kind = Node::Kind::string;
    task.text = "-";
    run.line.settings.root.entries.push_back({"task", {}, task});
  }
  return make_plan(run, call.words.empty() ? std::vector<std::string>{"sanduk:run"} : call.words, world, problems,
                   Purpose::run, images);
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

// The lock of the profile that is built, as it is so far. Nothing, and a diagnostic, where there can be none.
std::optional<ImageLock> lock_to_write(const Invocation& call, World& world, Diagnostics& problems) {
  Diagnostics said_already;
  const Profile profile = read_profile(call, call.words, world, said_already);
  const std::optional<std::filesystem::path> file = image_lock_file(profile);
  if (!file) {
    problems.add(error("no-effect", "`--lock` has no effect: there is no profile of your own to lock")
                     .at(call.line.option_spans.at("--lock"))
                     .with_help("name its file: sanduk build --lock PROFILE"));
    return std::nullopt;
  }
  std::optional<ImageLock> lock = load_image_lock(profile, problems);
  return lock ? lock : ImageLock{*file, {}, {}};
}

bool builds(const Plan& plan) { return !plan.image.containerfile.empty() || !plan.image.recipe.empty(); }

// What was built, or is there, and where it was locked.
std::string build_result(const Plan& plan, const RunOutcome& outcome, const std::optional<ImageLock>& lock, bool json) {
  if (!json) return plan.image.ref + "\n";
  JsonWriter text;
  text.begin_object().field("image", plan.image.ref).field("digest", outcome.image_id);
  if (lock) text.field("lock", lock->file.string());
  return text.field("record", outcome.record_directory).end_object().text() + "\n";
}

}  // namespace

int run_build(const Invocation& call, World& world) {
  Diagnostics problems;
  std::optional<Plan> plan = plan_without_task(call, world, problems, Images::free);
  std::optional<ImageLock> lock;
  if (plan && call.has("--lock")) lock = lock_to_write(call, world, problems);
  // A lock is of use for an image that comes from elsewhere, too.
  if (plan && !lock && !problems.has_errors() && !builds(*plan)) {
    problems.add(error("no-effect", "there is nothing to build the image `" + plan->image.ref + "` from")
                     .with_help("give --containerfile FILE, or leave --image out to build the agent's own"));
  }
  const int code = report_problems(problems, call.terminal);
  if (!plan || code != exit_done) return code;
  if (call.has("--force") && builds(*plan)) plan->image.rebuild = true;
  if (call.has("--dry-run")) {
    print_result(builds(*plan) ? build_command_line(*plan) : "");
    return exit_done;
  }
  const RunOutcome outcome = do_goal(call, *plan, world, Goal::build);
  if (outcome.status != RunStatus::done) {
    print_message(outcome_summary(outcome, call.terminal, call.has("--quiet")));
    return outcome.exit_code;
  }
  if (lock) {
    if (const auto failed = write_image_lock(*lock, {outcome.engine, plan->image.ref, outcome.image_id})) {
      Diagnostics faults;
      faults.add(error("unwritable-file", failed->message).with_help("make the profile's directory writable"));
      return report_problems(faults, call.terminal);
    }
    print_message("sanduk: " + lock->file.string() + " locks " + outcome.image_id + "\n");
  }
  print_result(build_result(*plan, outcome, lock, call.has("--json")));
  return exit_done;
}

int run_shell(const Invocation& call, World& world) {
  Diagnostics problems;
  std::optional<Plan> plan = plan_without_task(call, world, problems, Images::locked);
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
