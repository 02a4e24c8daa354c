#include <chrono>

#include "base/files.h"
#include "base/text.h"
#include "engine/codes.h"
#include "engine/pump.h"
#include "engine/run.h"
#include "engine/run_directory.h"
#include "engine/step.h"
#include "engine/stop_signals.h"

namespace sanduk {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_log = std::size_t{4} << 20;
constexpr std::size_t most_report = std::size_t{1} << 20;  // the helper's bound
constexpr std::chrono::seconds create_within(120);

// Judges the work of an agent that ended well: the profile's command on the same workspace, in a box that has neither
// relay nor token nor network. That box tells its self-test as the first line of its output, and starts the command
// only with the host's consent, as the agent's box does through the relay. It takes the name of the agent's container,
// which is done: whoever cleans up after this run finds one box by that name, whichever it is.
class VerifyStep : public Step {
 public:
  explicit VerifyStep(Run& run) : run_(run) {}

  std::string name() const override { return "verify"; }
  std::string detail() const override { return run_.plan.verify->argv.back(); }

  void perform() override {
    if (run_.ending.status != RunStatus::done) return;
    if (!remove_container(run_.world, run_.names, false))
      throw failed("the agent's container could not be removed", "");
    BoxNames names = run_.names;
    names.input_file.clear();
    names.awaits_consent = true;
    const ProcessResult created =
        run_.world.run({.argv = create_command(box(), names), .variables = {}, .input = {}}, create_within);
    run_.check_interrupted();
    if (!created.ok()) throw failed("its box could not be created", last_words(created));
    watch(names);
  }

 private:
  // The same box, less everything that leads out of it.
  Plan box() const {
    Plan plan = run_.plan;
    plan.mode = NetworkMode::sealed;
    plan.transport = Transport::none;
    plan.agent = {};
    plan.agent.argv = run_.plan.verify->argv;
    plan.task.clear();
    return plan;
  }

  // Takes the first line of the box's output, the report, and consents or not.
  void judge(const std::string& report) {
    faults_ = check_box_report(report, expected_of(box(), run_.names), run_.key);
    if (!run_.token.empty() && report.find(run_.token.reveal()) != std::string::npos)
      faults_.push_back("the box of `verify` holds the run token");
    run_.verify_box_held = faults_.empty();
    if (faults_.empty())
      write_below(run_.names.helper_directory, box_consent.substr(box_consent.rfind('/') + 1), "", 0444);
  }

  void watch(const BoxNames& names) {
    std::string log;
    std::string report;
    const auto keep = [&](std::string_view bytes) {
      log.append(bytes.substr(0, most_log - std::min(most_log, log.size())));
      run_.tell(AgentPrinted{std::string(bytes)});
    };
    const auto output = [&](std::string_view bytes) {
      if (!run_.verify_box_held) {
        const std::size_t end = bytes.find('\n');
        report.append(bytes.substr(0, end));
        if (end == std::string_view::npos && report.size() <= most_report) return;
        judge(report);
        bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
        if (!faults_.empty())
          run_.world.run({.argv = kill_command(names), .variables = {}, .input = {}}, engine_patience);
      }
      if (!bytes.empty()) keep(bytes);
    };
    Child child = run_.start_client({.argv = start_command(names), .variables = {}, .input = {}});
    Pump pump(child, {.output = output, .errors = keep, .tick = [&] { run_.tell(Tick{}); }});
    const std::int64_t seconds = run_.plan.verify->timeout_seconds;
    const Pump::End end = pump.run(Clock::now() + std::chrono::seconds(seconds), run_.world.stop_fd, -1);
    if (end != Pump::End::ended) {
      const Undisturbed undisturbed(run_.world);
      run_.world.run({.argv = kill_command(names), .variables = {}, .input = {}}, engine_patience);
      pump.run(Clock::now() + std::chrono::seconds(10), -1, -1);
    }
    write_file_atomically(run_.record.directory() / "verify.log", log);
    run_.check_interrupted();
    if (!faults_.empty()) throw broken();
    const std::optional<ContainerState> state = inspect_container(run_.world, names);
    if (end == Pump::End::deadline) {
      run_.ending = ended_by_timeout(seconds);
      run_.ending.diagnostic->message =
          "`verify` was still at work after " + human_seconds(static_cast<double>(seconds));
      return;
    }
    if (!state || state->status != "exited") throw failed("its box was lost", last_words(log));
    if (!run_.verify_box_held) throw failed("its box told no self-test", last_words(log));
    run_.verify_code = state->exit_code;
    if (state->exit_code == 0) return;
    Diagnostic diagnostic =
        error(std::string(codes::verify_failed),
              "`verify` ended with exit code " + std::to_string(state->exit_code) + ": the agent's work does not pass");
    if (!log.empty()) diagnostic.note(last_words(log));
    diagnostic.with_help("the whole output is in " + (run_.record.directory() / "verify.log").string());
    run_.ending = {RunStatus::agent_failed, 1, diagnostic};
  }

  RunError broken() const {
    Diagnostic diagnostic = error(std::string(codes::box_broken),
                                  "the box of `verify` is not what was planned; its command was not started");
    for (const std::string& fault : faults_) diagnostic.note(fault);
    diagnostic.with_help("`sanduk doctor` looks at the engine and its boxes");
    return {Failure::host, diagnostic};
  }

  static RunError failed(const std::string& why, const std::string& words) {
    Diagnostic diagnostic = error(std::string(codes::container_failed), "`verify` could not be run: " + why);
    if (!words.empty()) diagnostic.note(words);
    return {Failure::host, diagnostic};
  }

  Run& run_;
  std::vector<std::string> faults_;  // of its box
};

}  // namespace

std::unique_ptr<Step> make_verify_step(Run& run) { return std::make_unique<VerifyStep>(run); }

}  // namespace sanduk
