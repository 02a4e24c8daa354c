#include "engine/codes.h"
#include "engine/run.h"
#include "engine/step.h"

namespace sanduk {
namespace {

// Takes what the agent left. That there is nothing is told, and is no failure: the agent's end decides.
class CollectStep : public Step {
 public:
  explicit CollectStep(Run& run) : run_(run) {}

  std::string name() const override { return "collect"; }
  std::string detail() const override { return run_.plan.workspace.report; }

  void perform() override {
    const PlannedWorkspace& workspace = run_.plan.workspace;
    run_.record.update([](RunRecord& record) { record.state = RunState::collecting; });
    run_.changed_host_files = changed_host_files(run_.host_files_before, mark_host_files(workspace.host_path));
    if (workspace.report.empty()) return;
    std::string why;
    const std::optional<std::string> copy =
        collect_report(workspace.host_path, workspace.report, run_.old_report, run_.record.directory(), why);
    if (!copy) {
      run_.note(std::string(codes::report_missing) + ": " + why);
      return;
    }
    run_.report_file = *copy;
  }

 private:
  Run& run_;
};

}  // namespace

std::unique_ptr<Step> make_collect_step(Run& run) { return std::make_unique<CollectStep>(run); }

}  // namespace sanduk
