#include <chrono>

#include "base/files.h"
#include "base/text.h"
#include "engine/codes.h"
#include "engine/pump.h"
#include "engine/run.h"
#include "engine/step.h"
#include "engine/stop_signals.h"

namespace sanduk {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_log = std::size_t{4} << 20;
constexpr std::chrono::seconds create_within(120);

// Judges the work of an agent that ended well: the profile's command on the same workspace, in a box that has neither
// relay nor token nor network. It takes the name of the agent's container, which is done: whoever cleans up after this
// run finds one box by that name, whichever it is.
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

  void watch(const BoxNames& names) {
    std::string log;
    const auto keep = [&](std::string_view bytes) {
      log.append(bytes.substr(0, most_log - std::min(most_log, log.size())));
      run_.tell(AgentPrinted{std::string(bytes)});
    };
    Child child = run_.start_client({.argv = start_command(names), .variables = {}, .input = {}});
    Pump pump(child, {.output = keep, .errors = keep, .tick = [&] { run_.tell(Tick{}); }});
    const std::int64_t seconds = run_.plan.verify->timeout_seconds;
    const Pump::End end = pump.run(Clock::now() + std::chrono::seconds(seconds), run_.world.stop_fd, -1);
    if (end != Pump::End::ended) {
      const Undisturbed undisturbed(run_.world);
      run_.world.run({.argv = kill_command(names), .variables = {}, .input = {}}, engine_patience);
      pump.run(Clock::now() + std::chrono::seconds(10), -1, -1);
    }
    write_file_atomically(run_.record.directory() / "verify.log", log);
    run_.check_interrupted();
    const std::optional<ContainerState> state = inspect_container(run_.world, names);
    if (end == Pump::End::deadline) {
      run_.ending = ended_by_timeout(seconds);
      run_.ending.diagnostic->message =
          "`verify` was still at work after " + human_seconds(static_cast<double>(seconds));
      return;
    }
    if (!state || state->status != "exited") throw failed("its box was lost", last_words(log));
    run_.verify_code = state->exit_code;
    if (state->exit_code == 0) return;
    Diagnostic diagnostic =
        error(std::string(codes::verify_failed),
              "`verify` ended with exit code " + std::to_string(state->exit_code) + ": the agent's work does not pass");
    if (!log.empty()) diagnostic.note(last_words(log));
    diagnostic.with_help("the whole output is in " + (run_.record.directory() / "verify.log").string());
    run_.ending = {RunStatus::agent_failed, 1, diagnostic};
  }

  static RunError failed(const std::string& why, const std::string& words) {
    Diagnostic diagnostic = error(std::string(codes::container_failed), "`verify` could not be run: " + why);
    if (!words.empty()) diagnostic.note(words);
    return {Failure::host, diagnostic};
  }

  Run& run_;
};

}  // namespace

std::unique_ptr<Step> make_verify_step(Run& run) { return std::make_unique<VerifyStep>(run); }

}  // namespace sanduk
