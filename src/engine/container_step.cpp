#include <csignal>
#include <system_error>

#include "base/embedded.h"
#include "engine/codes.h"
#include "engine/pump.h"
#include "engine/run.h"
#include "engine/run_directory.h"
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
    // From here on the container is ours, whether or not the engine has made it yet.
    run_.record.update([&](RunRecord& record) {
      record.engine = run_.names.engine;
      record.container_requested = true;
    });
    create();
    run_.record.update([](RunRecord& record) { record.container_created = true; });
  }

  void undo() override {
    const RunRecord& record = run_.record.data();
    if (!record.container_requested) return;
    if (run_.plan.keep && record.container_created) {
      run_.world.run({.argv = kill_command(run_.names), .variables = {}, .input = {}}, engine_patience);
      run_.note("the container " + run_.names.run_id + " is kept");
      return;
    }
    if (remove_container(run_.world, run_.names, !record.container_created)) return;
    run_.left_over = true;
    run_.note(run_.names.engine + " did not remove the container " + run_.names.run_id +
              "; it will be tried again in the background and by the next run");
  }

 private:
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
    run_.names.guard_directory = guards.string();
  }

  void create() {
    Command command;
    command.argv = create_command(run_.plan, run_.names);
    command.variables = inherited_variables(run_.plan, run_.token, run_.key);
    std::string output;
    std::string errors;
    Child child = run_.world.start(command);
    run_.watcher.started_client(child.pid());
    Pump pump(child, {.output = [&](std::string_view bytes) { output += bytes; },
                      .errors = [&](std::string_view bytes) { errors += bytes; },
                      .tick = [&] { run_.tell(Tick{}); }});
    const Pump::Time now = std::chrono::steady_clock::now();
    Pump::End end = pump.run(now + create_within, run_.world.stop_fd, -1);
    if (end == Pump::End::stop) {
      end = pump.run(std::chrono::steady_clock::now() + finish_within, -1, -1);
      if (end == Pump::End::ended && child.poll() == 0) {
        run_.record.update([](RunRecord& record) { record.container_created = true; });
      }
      if (end != Pump::End::ended) child.signal_group(SIGKILL);
      run_.check_interrupted();
    }
    if (end == Pump::End::ended && child.poll() == 0) return;
    if (end != Pump::End::ended) child.signal_group(SIGKILL);
    Diagnostic diagnostic =
        error(std::string(codes::container_failed), end == Pump::End::ended
                                                        ? run_.names.engine + " could not create the container"
                                                        : run_.names.engine + " did not create the container in time");
    if (!errors.empty()) diagnostic.note(last_words(errors));
    throw RunError(Failure::host, diagnostic);
  }

  Run& run_;
};

}  // namespace

std::unique_ptr<Step> make_container_step(Run& run) {
  return std::make_unique<ContainerStep>(run);
}

}  // namespace sanduk
