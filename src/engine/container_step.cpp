#include <algorithm>
#include <csignal>
#include <system_error>

#include "base/embedded.h"
#include "base/text.h"
#include "container/covers.h"
#include "engine/codes.h"
#include "engine/pump.h"
#include "engine/run.h"
#include "engine/run_directory.h"
#include "engine/shared_points.h"
#include "engine/step.h"

namespace sanduk {
namespace {

constexpr std::chrono::seconds create_within(120);
// After a signal a `create` that is under way is let come to its end: then it is known what there is to remove.
constexpr std::chrono::seconds finish_within(5);

class ContainerStep : public Step {
 public:
  explicit ContainerStep(Run& run) : run_(run) {}

  std::string name() const override { return "container"; }
  std::string detail() const override { return run_.names.run_id; }
  bool has_undo() const override { return run_.record.data().container_requested; }

  void perform() override {
    write_helper_files();
    const Command command = prepare();
    // From here on the container is ours, whether or not the engine has made it yet.
    run_.record.update([](RunRecord& record) { record.container_requested = true; });
    create(command);
  }

  void undo() override {
    if (run_.record.data().container_requested && !remove_box()) return;
    const StateLock lock(run_.state);
    run_.record.update([&](RunRecord& record) { release_points(run_.state, record); });
  }

 private:
  // True when there is none any more, so that its mount points can go as well.
  bool remove_box() {
    const RunRecord& record = run_.record.data();
    if (run_.plan.keep && record.container_settled) {
      run_.world.run({.argv = kill_command(run_.names), .variables = {}, .input = {}}, engine_patience);
      run_.note("the container " + run_.names.run_id + " is kept");
      return true;  // it has ended
    }
    if (remove_container(run_.world, run_.names, !record.container_settled)) return true;
    run_.left_over = true;
    run_.note(run_.names.engine.name + " did not remove the container " + run_.names.run_id +
              "; it will be tried again in the background and by the next run");
    return false;
  }

  void write_helper_files() {
    const std::optional<std::string_view> helper = embedded_file("box");
    if (!helper)
      throw RunError(Failure::internal, error(std::string(codes::internal_error), "no helper in this program"));
    const std::filesystem::path helpers = make_below(run_.directory, "helper", 0755);
    write_below(helpers, "box", *helper, 0755);
    const std::filesystem::path guards = make_below(run_.directory, "guard", 0755);
    write_below(guards, "empty-file", "", 0444);
    make_below(guards, "empty-directory", 0555);
    run_.names.helper_directory = helpers.string();
    write_for_agent(helpers);
    run_.names.guard_directory = guards.string();
  }

  // Its documents, and what it reads from its standard input: neither is ever in the workspace.
  void write_for_agent(const std::filesystem::path& helpers) {
    const PlannedAgent& agent = run_.plan.agent;
    if (!agent.documents.empty()) {
      const std::filesystem::path documents =
          make_below(helpers, std::filesystem::path(box_documents).filename().string(), 0755);
      for (const Variable& document : agent.documents) {
        write_below(documents, document.name, with_relay(run_.plan, document.value), 0444);
      }
    }
    if (agent.input.empty()) return;
    write_below(run_.directory, "input", replace_all(agent.input, "{task}", run_.plan.task), 0444);
    run_.names.input_file = (run_.directory / "input").string();
  }

  // Makes what must be in the workspace for the box's mounts, and gives the command that creates the box.
  Command prepare() {
    const StateLock lock(run_.state);
    const std::string& workspace = run_.plan.workspace.host_path;
    const std::vector<MountPoint> others = points_of_others(run_.state, run_.record.run_id(), workspace);
    const PathLookup lookup = without_points(workspace, look_on_host(workspace), others);
    const std::vector<Cover> covers = covers_of(run_.plan.workspace, lookup);
    const std::vector<MountPoint> missing = missing_mount_points(run_.plan, covers, lookup);
    Command command{.argv = create_command(run_.plan, run_.names, covers),
                    .variables = inherited_variables(run_.plan, run_.token, run_.key),
                    .input = {}};
    // From here on the mount points are ours, whether or not they are made yet.
    run_.record.update([&](RunRecord& record) {
      record.engine = run_.names.engine;
      record.mount_points = missing;
    });
    make_points(missing, others);
    return command;
  }

  void make_points(const std::vector<MountPoint>& missing, const std::vector<MountPoint>& others) {
    if (missing.empty()) return;
    FileResult<std::vector<MountPoint>> made = make_mount_points(run_.plan.workspace.host_path, missing);
    if (!made) {
      Diagnostic diagnostic =
          error(std::string(codes::container_failed), "the workspace cannot be prepared: " + made.error().message);
      diagnostic.with_help("the agent's user must be able to write the workspace");
      throw RunError(Failure::host, diagnostic);
    }
    // What was there already is ours to remove only where another run laid it.
    std::vector<MountPoint> ours = missing;
    std::erase_if(ours, [&](const MountPoint& point) {
      const auto in = [&](const std::vector<MountPoint>& list) {
        return std::find(list.begin(), list.end(), point) != list.end();
      };
      return !in(*made) && !in(others);
    });
    if (ours != missing) run_.record.update([&](RunRecord& record) { record.mount_points = ours; });
  }

  void create(const Command& command) {
    std::string output;
    std::string errors;
    Child child = run_.start_client(command);
    Pump pump(child, {.output = [&](std::string_view bytes) { output += bytes; },
                      .errors = [&](std::string_view bytes) { errors += bytes; },
                      .tick = [&] { run_.tell(Tick{}); }});
    Pump::End end = pump.run(std::chrono::steady_clock::now() + create_within, run_.world.stop_fd, -1);
    if (end == Pump::End::stop) end = pump.run(std::chrono::steady_clock::now() + finish_within, -1, -1);
    const bool answered = end == Pump::End::ended;
    if (answered) {
      run_.record.update([](RunRecord& record) { record.container_settled = true; });
    } else {
      child.signal_group(SIGKILL);
    }
    run_.check_interrupted();
    if (answered && child.poll() == 0) return;
    Diagnostic diagnostic = error(std::string(codes::container_failed),
                                  run_.names.engine.name + (answered ? " could not create the container"
                                                                     : " did not create the container in time"));
    if (!errors.empty()) diagnostic.note(last_words(errors));
    throw RunError(Failure::host, diagnostic);
  }

  Run& run_;
};

}  // namespace

std::unique_ptr<Step> make_container_step(Run& run) { return std::make_unique<ContainerStep>(run); }

}  // namespace sanduk
