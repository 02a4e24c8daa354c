#include <chrono>
#include <csignal>

#include "engine/agent_end.h"
#include "engine/codes.h"
#include "engine/key_mask.h"
#include "engine/matching_files.h"
#include "engine/pump.h"
#include "engine/run.h"
#include "engine/step.h"
#include "engine/stop_signals.h"

namespace sanduk {
namespace {

using Clock = std::chrono::steady_clock;

// How long the last words of a killed container may take to arrive.
constexpr std::chrono::seconds drain_within(10);
constexpr std::size_t most_tail = 4096;

// Starts the container and stays with it to its end. However the agent ends is an outcome, not an exception: what it
// left is collected all the same.
class AgentStep : public Step {
 public:
  explicit AgentStep(Run& run) : run_(run) {}

  std::string name() const override { return "agent"; }
  std::string detail() const override { return run_.plan.agent.name; }

  void perform() override {
    const std::unique_ptr<AgentReader> reader =
        make_agent_reader(run_.plan.agent.reader, [&](const AgentEvent& event) { run_.tell(AgentSaid{event}); });
    if (!reader) {
      throw RunError(Failure::profile, error(std::string(codes::unknown_reader),
                                             "there is no reader for `" + run_.plan.agent.reader + "`"));
    }
    const PlannedWorkspace& workspace = run_.plan.workspace;
    run_.old_marks[workspace.report] = mark_report(workspace.host_path, workspace.report);
    for (const std::string& pattern : workspace.collect) {
      for (const std::string& file : matching_files(workspace.host_path, pattern)) {
        run_.old_marks[file] = mark_report(workspace.host_path, file);
      }
    }
    run_.host_files_before = mark_host_files(workspace.host_path);
    run_.record.update([](RunRecord& record) { record.state = RunState::running; });

    Child child = run_.start_client(
        {.argv = start_command(run_.names), .variables = {}, .input = {}, .inherit_terminal = run_.names.interactive});
    Pump pump(child, sinks(*reader));
    const std::int64_t seconds = run_.plan.limits.timeout_seconds;
    const Pump::Time deadline = seconds > 0 ? Clock::now() + std::chrono::seconds(seconds) : Pump::Time::max();
    const Pump::End end = pump.run(deadline, run_.world.stop_fd, run_.stop.fd());
    if (end != Pump::End::ended) kill_and_drain(child, pump);
    take_output(*reader, output_mask_.finish());
    take_errors(errors_mask_.finish());
    run_.agent = reader->finish();
    run_.ending = ending(end, child.poll());
  }

 private:
  Pump::Sinks sinks(AgentReader& reader) {
    Pump::Sinks sinks;
    sinks.output = [&](std::string_view bytes) { take_output(reader, output_mask_.pass(bytes)); };
    sinks.errors = [&](std::string_view bytes) { take_errors(errors_mask_.pass(bytes)); };
    sinks.tick = [&] { run_.tell(Tick{}); };
    return sinks;
  }

  void take_output(AgentReader& reader, const std::string& bytes) {
    if (bytes.empty()) return;
    run_.record.agent_output(bytes);
    reader.feed(bytes);
  }

  void take_errors(const std::string& bytes) {
    if (bytes.empty()) return;
    run_.record.agent_errors(bytes);
    errors_ += bytes;
    if (errors_.size() > 2 * most_tail) errors_.erase(0, errors_.size() - most_tail);
    run_.tell(AgentPrinted{bytes});
  }

  // The engine's client is not the container: ending the one does not end the other.
  void kill_and_drain(Child& child, Pump& pump) {
    const Undisturbed undisturbed(run_.world);
    run_.world.run({.argv = kill_command(run_.names), .variables = {}, .input = {}}, engine_patience);
    if (pump.run(Clock::now() + drain_within, -1, -1) == Pump::End::ended) return;
    child.signal_group(SIGKILL);
    pump.run(Clock::now() + std::chrono::seconds(1), -1, -1);
  }

  Ending ending(Pump::End end, std::optional<int> client_code) {
    // What the relay asked for explains the agent's end, even where the agent was faster than we.
    if (const std::optional<StopRequest::Words> words = run_.stop.asked()) {
      Ending result = ended_by_relay(words->code, words->why);
      if (words->code == codes::relay_found_box_broken) add_box_faults(*result.diagnostic);
      return result;
    }
    if (end == Pump::End::stop) {
      const int signal = take_stop_signal(run_.world.stop_fd);
      return ended_by(Interrupted{signal != 0 ? signal : SIGTERM});
    }
    if (end == Pump::End::deadline) return ended_by_timeout(run_.plan.limits.timeout_seconds);

    const Undisturbed undisturbed(run_.world);
    AgentEnd seen;
    // The client ends with the container's code, and with others where it has lost it; of those, 0 has one meaning
    // only.
    seen.container = client_code == 0 ? ContainerState{.status = "exited", .exit_code = 0}
                                      : inspect_container(run_.world, run_.names);
    // Where the engine does not keep the code, the client's own is all there is.
    if (seen.container && seen.container->exit_code < 0 && client_code) seen.container->exit_code = *client_code;
    seen.result = run_.agent;
    seen.errors = errors_;
    const std::lock_guard lock(run_.box_mutex);
    seen.box_faults = run_.box_faults;
    return judge_agent_end(seen, run_.plan, run_.names);
  }

  void add_box_faults(Diagnostic& diagnostic) {
    const std::lock_guard lock(run_.box_mutex);
    for (const std::string& fault : run_.box_faults) diagnostic.note(fault);
  }

  Run& run_;
  KeyMask output_mask_{run_.key};
  KeyMask errors_mask_{run_.key};
  std::string errors_;  // the end of the agent's standard error
};

}  // namespace

std::unique_ptr<Step> make_agent_step(Run& run) { return std::make_unique<AgentStep>(run); }

}  // namespace sanduk
