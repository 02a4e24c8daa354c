#include "base/files.h"
#include "base/text.h"
#include "engine/codes.h"
#include "engine/matching_files.h"
#include "engine/run.h"
#include "engine/step.h"

namespace sanduk {
namespace {

// What patterns may mean: the agent may have made any number of files.
constexpr std::size_t most_collected = 1000;
constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;

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
    for (const std::string& pattern : workspace.collect) {
      if (is_pattern(pattern)) {
        take_matching(pattern);
      } else {
        take_file(pattern);
      }
    }
  }

 private:
  void take_file(const std::string& file) {
    std::string why;
    const std::filesystem::path& workspace = run_.plan.workspace.host_path;
    if (const auto copy = collect_file(workspace, file, run_.old_marks[file], run_.record.directory(), why)) {
      run_.collected.push_back(*copy);
    } else {
      run_.note(std::string(codes::report_missing) + ": " + why);
    }
  }

  // What was there before and is as it was is nothing that this run has left.
  void take_matching(const std::string& pattern) {
    const std::size_t before = run_.collected.size();
    for (const std::string& file : matching_files(run_.plan.workspace.host_path, pattern, most_collected + 1)) {
      const ReportMark mark = mark_report(run_.plan.workspace.host_path, file);
      if (mark == run_.old_marks[file]) continue;
      bytes_ += mark.size;
      if (bytes_ > most_bytes || run_.collected.size() >= most_collected) {
        run_.note("the rest of " + pattern + " was not collected: at most " + std::to_string(most_collected) +
                  " files and " + human_bytes(most_bytes) + " are");
        return;
      }
      take_file(file);
    }
    if (run_.collected.size() == before) {
      run_.note(std::string(codes::report_missing) + ": the agent left nothing that matches " + pattern);
    }
  }

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
  std::uint64_t bytes_ = 0;  // of what patterns meant
};

}  // namespace

std::unique_ptr<Step> make_collect_step(Run& run) { return std::make_unique<CollectStep>(run); }

}  // namespace sanduk
