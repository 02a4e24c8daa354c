#include "base/files.h"
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
    run_.record.update([](RunRecord& record) { record.state = RunState::collecting; });
    run_.changed_host_files =
        changed_host_files(run_.host_files_before, mark_host_files(run_.plan.workspace.host_path));
    take_report();
    const PlannedWorkspace& workspace = run_.plan.workspace;
    for (const std::string& file : workspace.collect) {
      std::string why;
      const std::optional<std::string> copy =
          collect_file(workspace.host_path, file, run_.old_marks[file], run_.record.directory(), why);
      if (copy) {
        run_.collected.push_back(*copy);
      } else {
        run_.note(std::string(codes::report_missing) + ": " + why);
      }
    }
  }

 private:
  void take_report() {
    const PlannedWorkspace& workspace = run_.plan.workspace;
    if (workspace.report.empty()) return;
    std::string why;
    const std::optional<std::string> copy = collect_report(
        workspace.host_path, workspace.report, run_.old_marks[workspace.report], run_.record.directory(), why);
    if (!copy) {
      run_.note(std::string(codes::report_missing) + ": " + why);
      return;
    }
    run_.report_file = *copy;
    if (workspace.report_copy.empty()) return;
    // From our own copy: what is in the workspace may have become something else by now.
    const FileResult<std::string> bytes = read_file(run_.record.directory() / *copy, std::size_t{16} << 20);
    std::optional<FileError> failed;
    if (bytes) failed = write_file_atomically(workspace.report_copy, *bytes, 0644);
    if (!bytes || failed) run_.note((bytes ? *failed : bytes.error()).message);
  }

  Run& run_;
};

}  // namespace

std::unique_ptr<Step> make_collect_step(Run& run) { return std::make_unique<CollectStep>(run); }

}  // namespace sanduk
