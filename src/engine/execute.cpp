#include "engine/execute.h"

#include <chrono>
#include <exception>

#include "engine/codes.h"
#include "engine/reap.h"
#include "engine/run.h"
#include "engine/run_directory.h"
#include "engine/step.h"
#include "engine/stop_signals.h"
#include "engine/workspace_copy.h"

namespace sanduk {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// The one place where a run's faults are caught. Call it inside a catch block.
Ending ending_of_exception() {
  try {
    throw;
  } catch (const Interrupted& interrupt) {
    return ended_by(interrupt);
  } catch (const RunError& error) {
    return ended_by(error);
  } catch (const std::exception& error) {
    return ended_by_bug(error.what());
  } catch (...) {
    return ended_by_bug("an exception of no known type");
  }
}

class Steps {
 public:
  Steps(const Plan& plan, Run& run) : run_(run), steps_(steps_for(plan, run)) {}
  ~Steps() { undo_all(); }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  // Left to right, up to the first that fails.
  Ending perform_all() {
    for (const std::unique_ptr<Step>& step : steps_) {
      const Clock::time_point begin = Clock::now();
      run_.tell(StepStarted{step->name(), step->detail()});
      try {
        run_.check_interrupted();
        ++begun_;
        step->perform();
        run_.tell(StepEnded{step->name(), seconds_since(begin), ""});
      } catch (...) {
        Ending ending = ending_of_exception();
        // A signal cuts short what the step was waiting for, and the step may take that for a fault of its own.
        if (const int signal = take_stop_signal(run_.world.stop_fd); signal != 0)
          ending = ended_by(Interrupted{signal});
        run_.tell(StepEnded{step->name(), seconds_since(begin), ending.diagnostic->message});
        return ending;
      }
    }
    return run_.ending;
  }

  // Right to left, each once, whatever the others do.
  void undo_all() {
    const int stop_fd = run_.world.stop_fd;
    const Undisturbed undisturbed(run_.world);
    while (begun_ > 0) {
      Step& step = *steps_[--begun_];
      const bool worth_a_line = step.has_undo();
      const std::string name = "undo " + step.name();
      const Clock::time_point begin = Clock::now();
      std::string failure;
      if (worth_a_line) run_.tell(StepStarted{name, ""});
      try {
        step.undo();
      } catch (...) {
        failure = ending_of_exception().diagnostic->message;
        run_.left_over = true;
      }
      if (worth_a_line || !failure.empty()) run_.tell(StepEnded{name, seconds_since(begin), failure});
      if (take_stop_signal(stop_fd) != 0) run_.note("already ending the run; what is left is being removed");
    }
  }

 private:
  Run& run_;
  std::vector<std::unique_ptr<Step>> steps_;
  std::size_t begun_ = 0;  // of steps_; these have an undo to come
};

Ending perform(const Plan& plan, Run& run) {
  Steps steps(plan, run);
  Ending ending;
  try {
    run.directory = choose_run_directory(run.world, run.record.data().container);
    run.record.update([&](RunRecord& record) { record.run_directory = run.directory.string(); });
    make_run_directory(run.directory);
    ending = steps.perform_all();
    run.record.update([](RunRecord& record) { record.state = RunState::undoing; });
  } catch (...) {
    ending = ending_of_exception();
  }
  steps.undo_all();
  if (!remove_run_directory(run.directory)) run.left_over = true;
  return ending;
}

void fill_names(BoxNames& names, const RunRecord& record, const StateDirectory& state) {
  names.run_id = record.container;
  names.owner_pid = record.owner.pid;
  names.owner_start_time = record.owner.start_time;
  names.state_directory = state.root.string();
}

// The record's last words. What could not be removed stays live in it, so that somebody tries again.
void close_record(Record& record, const RunOutcome& outcome, const Run& run, World& world) {
  record.close([&](RunRecord& data) {
    data.state = run.left_over ? RunState::undoing : RunState::ended;
    data.status = status_word(outcome.status);
    data.exit_code = outcome.exit_code;
    data.reason = outcome.diagnostic;
    data.ended = timestamp(world.now());
    data.seconds = outcome.seconds;
    data.relay = outcome.relay;
    data.agent = outcome.agent;
    data.report = run.report_file;
    data.changed_host_files = run.changed_host_files;
    data.collected = run.collected;
    data.image_id = run.image.id;
    data.verify_code = run.verify_code;
    data.verify_box_held = run.verify_box_held;
  });
}

void apply(RunOutcome& outcome, Ending ending) {
  outcome.status = ending.status;
  outcome.exit_code = ending.exit_code;
  outcome.diagnostic = std::move(ending.diagnostic);
}

void run_plan(const Plan& plan, const std::string& plan_json, World& world, const EventListeners& listeners, Goal goal,
              RunOutcome& outcome) {
  const Clock::time_point begin = Clock::now();
  const StateDirectory state{world.state_directory("sanduk")};
  std::error_code ignored;
  const bool state_is_new = !std::filesystem::exists(state.runs(), ignored);
  Record record(world, state, plan, plan_json);
  outcome.run_id = record.run_id();
  outcome.record_directory = record.directory().string();
  // No key has been read and no thread started by us: what is forked here knows nothing.
  Watcher watcher(world, state, record.run_id(), plan.relay.key_source);

  EventListeners tell = listeners;
  tell.add([&](const Event& event) { record.listen(event); });
  tell(RunStarted{record.run_id(), outcome.record_directory});
  for (const std::string& words : reap_dead_runs(world, state)) tell(Note{words});

  // From here on the workspace is what the box gets.
  Plan boxed = plan;
  if (plan.workspace.mode == WorkspaceMode::copy) {
    boxed.workspace.host_path = copy_directory(record.directory()).string();
    record.update([&](RunRecord& data) { data.workspace = boxed.workspace.host_path; });
  }
  Run run(boxed, world, tell, record, watcher);
  run.original_workspace = plan.workspace.host_path;
  run.goal = goal;
  run.names.interactive = goal == Goal::shell;
  run.state = state;
  run.state_is_new = state_is_new;
  fill_names(run.names, record.data(), state);
  apply(outcome, perform(boxed, run));

  // Beyond this point nothing of the run is left but its record, or the record says what.
  outcome.engine = run.names.engine.name;
  outcome.image_id = run.image.id;
  outcome.relay = run.tally;
  outcome.agent = run.agent;
  outcome.changed_host_files = run.changed_host_files;
  if (!run.report_file.empty()) outcome.report_file = (record.directory() / run.report_file).string();
  outcome.verify_code = run.verify_code;
  outcome.verify_box_held = run.verify_box_held;
  for (const std::string& file : run.collected) outcome.collected.push_back((record.directory() / file).string());
  outcome.seconds = seconds_since(begin);
  close_record(record, outcome, run, world);
  if (run.left_over) watcher.hand_over();
}

}  // namespace

RunOutcome execute(const Plan& plan, const std::string& plan_json, World& world, const EventListeners& listeners,
                   Goal goal) {
  RunOutcome outcome;
  try {
    run_plan(plan, plan_json, world, listeners, goal, outcome);
  } catch (...) {
    apply(outcome, ending_of_exception());
  }
  return outcome;
}

}  // namespace sanduk
