// sanduk logs, exec, attach: what goes on in a box.
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/engine_choice.h"
#include "cli/exit_code.h"
#include "cli/run_choice.h"
#include "engine/stop_signals.h"

namespace sanduk {
namespace {

constexpr std::size_t most_output = std::size_t{65} << 20;  // the record keeps 64 MiB

// A file of a record that may still grow. What it holds was said by an agent.
class Follower {
 public:
  Follower(std::filesystem::path directory, std::string name, void (*print)(const std::string&))
      : directory_(std::move(directory)), name_(std::move(name)), print_(print) {}

  void print_more() {
    FileResult<std::string> bytes = read_file_beneath(directory_, name_, most_output);
    if (!bytes || bytes->size() <= printed_) return;
    print_(isatty(STDOUT_FILENO) == 1 ? printable(bytes->substr(printed_), true) : bytes->substr(printed_));
    printed_ = bytes->size();
  }

 private:
  std::filesystem::path directory_;
  std::string name_;
  void (*print_)(const std::string&);
  std::size_t printed_ = 0;
};

// A box that runs, and how the engine is told of it. Nothing, and a message, where there is none.
std::optional<BoxNames> running_box(const Invocation& call, World& world, int& code) {
  const std::optional<RunChoice> choice = look_at_runs(call, world, true, code);
  if (!choice) return std::nullopt;
  const KnownRun* run = choose_run(call, 0, choice->survey.runs, code);
  if (run == nullptr) return std::nullopt;
  if (!run->box || run->box->state != "running") {
    Diagnostics problems;
    problems.add(error("run-not-running", "the run `" + run->id() + "` has no running box")
                     .at(call.span_of_word(0))
                     .with_help("`sanduk logs " + run->id() + "` shows what it printed"));
    report_problems(problems, call.terminal);
    code = exit_agent_failed;
    return std::nullopt;
  }
  BoxNames names;
  names.run_id = run->box->name;
  names.engine = run->engine;
  return names;
}

// Hands our terminal to the program and waits for its end.
int run_here(World& world, const std::vector<std::string>& argv) {
  Child child = world.start({.argv = argv, .variables = {}, .input = {}, .inherit_terminal = true});
  for (;;) {
    if (const std::optional<int> code = child.wait_for(std::chrono::hours(1))) return *code;
  }
}

}  // namespace

int run_logs(const Invocation& call, World& world) {
  // Records alone tell: no engine is asked.
  const StateDirectory state{world.state_directory("sanduk")};
  const Survey survey = survey_runs(world, state, {}, false, true);
  int code = exit_done;
  const KnownRun* run = choose_run(call, 0, survey.runs, code);
  if (run == nullptr) return code;
  const std::filesystem::path directory = state.run(run->id());
  Follower output(directory, "agent.out", print_result);
  Follower errors(directory, "agent.err", print_message);
  const StopSignals signals;
  for (;;) {
    // Asked first, so that what a run wrote last is printed still.
    FileResult<RunRecord> record = load_run_record(directory);
    const bool over =
        !record || record->state == RunState::ended || record->state == RunState::abandoned || !is_alive(record->owner);
    output.print_more();
    errors.print_more();
    if (over || !call.has("--follow")) return exit_done;
    if (const int signal = take_stop_signal(signals.fd()); signal != 0) return 128 + signal;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

int run_exec(const Invocation& call, World& world) {
  int code = exit_done;
  const std::optional<BoxNames> names = running_box(call, world, code);
  if (!names) return code;
  const std::vector<std::string> program(call.words.begin() + 1, call.words.end());
  const bool terminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  return run_here(world, exec_command(*names, terminal, program));
}

int run_attach(const Invocation& call, World& world) {
  int code = exit_done;
  const std::optional<BoxNames> names = running_box(call, world, code);
  return names ? run_here(world, attach_command(*names)) : code;
}

}  // namespace sanduk
