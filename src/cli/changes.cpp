// sanduk changes RUN and sanduk take RUN: what an agent did to its copy of the workspace, and bringing that back.
#include <algorithm>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/run_choice.h"
#include "engine/workspace_copy.h"
#include "plan/plan_json.h"

namespace sanduk {
namespace {

struct CopyOfRun {
  std::filesystem::path record;
  std::string run_id;
  std::filesystem::path workspace;
  std::vector<ChangedPath> changes;
};

std::string letter(CopyChange change) {
  return change == CopyChange::added ? "A" : change == CopyChange::changed ? "M" : "D";
}

std::optional<CopyOfRun> find_copy(const Invocation& call, World& world, bool taking, int& code) {
  const StateDirectory state{world.state_directory("sanduk")};
  const Survey survey = survey_runs(world, state, {}, false, true);
  const KnownRun* run = choose_run(call, 0, survey.runs, code);
  if (run == nullptr) return std::nullopt;
  // What is at work changes under whoever looks.
  if (run->owner_lives && taking) {
    Diagnostics live;
    live.add(sanduk::error("run-is-live", "the run `" + run->id() + "` is at work: its copy is not finished")
                 .at(call.span_of_word(0))
                 .with_help("wait for its end, or end it with `sanduk stop " + run->id() + "`"));
    code = report_problems(live, call.terminal);
    return std::nullopt;
  }
  if (run->owner_lives) print_message("note: the run is at work; this is its copy as it is now\n");
  CopyOfRun copy;
  copy.record = state.run(run->id());
  copy.run_id = run->id();
  FileResult<std::string> text = read_file(copy.record / "plan.json", std::size_t{8} << 20);
  Diagnostics problems;
  const std::optional<Plan> plan = text ? read_plan_json(*text, "plan.json", problems) : std::nullopt;
  std::error_code error;
  if (!plan || plan->workspace.mode != WorkspaceMode::copy ||
      !std::filesystem::is_directory(copy_directory(copy.record), error)) {
    Diagnostics none;
    none.add(sanduk::error("no-copy", "the run `" + run->id() + "` did not work on a copy")
                 .at(call.span_of_word(0))
                 .with_help("it changed the workspace itself; workspace.mode = \"copy\" makes a copy"));
    code = report_problems(none, call.terminal);
    return std::nullopt;
  }
  copy.workspace = plan->workspace.host_path;
  try {
    copy.changes = changed_paths(copy.workspace, copy.record);
  } catch (const RunError& fault) {
    Diagnostics faults;
    faults.add(fault.diagnostic);
    report_problems(faults, call.terminal);
    code = exit_host_not_ready;
    return std::nullopt;
  }
  return copy;
}

std::string changes_json(const CopyOfRun& copy) {
  JsonWriter json(2);
  json.begin_object().field("run", copy.run_id).field("workspace", copy.workspace.string());
  json.key("changes").begin_array();
  for (const ChangedPath& change : copy.changes) {
    json.begin_object().field("path", change.path);
    json.field("change", change.change == CopyChange::added     ? "added"
                         : change.change == CopyChange::changed ? "changed"
                                                                : "removed");
    json.field("conflict", change.conflict).field("host_use", change.host_use).end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

std::string summary(const CopyOfRun& copy) {
  std::string text;
  for (const ChangedPath& change : copy.changes) {
    text += letter(change.change) + " " + printable(change.path);
    if (!change.host_use.empty()) text += "  (" + change.host_use + ": this host may run or obey it)";
    if (change.conflict) text += "  (the workspace's own was changed since)";
    text += "\n";
  }
  return text;
}

// The lines that differ, as `diff -u` has them. Both sides are read without following a link.
std::string difference(World& world, const CopyOfRun& copy, const ChangedPath& change) {
  const std::filesystem::path own = copy.workspace / change.path;
  const std::filesystem::path theirs = copy_directory(copy.record) / change.path;
  std::error_code error;
  for (const std::filesystem::path& side : {own, theirs}) {
    // Of a living run it may be anything by now; `diff` would wait for a pipe.
    const std::filesystem::file_status status = std::filesystem::symlink_status(side, error);
    if (std::filesystem::exists(status) && std::filesystem::is_other(status))
      return letter(change.change) + " " + change.path + ": not a file any more\n";
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(side, error))) continue;
    return letter(change.change) + " " + change.path + " -> " + std::filesystem::read_symlink(side, error).string() +
           "\n";
  }
  const std::string left = change.change == CopyChange::added ? "/dev/null" : own.string();
  const std::string right = change.change == CopyChange::removed ? "/dev/null" : theirs.string();
  const ProcessResult result = world.run(
      {.argv = {"diff", "-u", "--label", "a/" + change.path, "--label", "b/" + change.path, "--", left, right},
       .variables = {},
       .input = {}},
      std::chrono::seconds(60));
  return result.started ? result.output : "diff is not installed\n";
}

}  // namespace

int run_changes(const Invocation& call, World& world) {
  int code = exit_done;
  const std::optional<CopyOfRun> copy = find_copy(call, world, false, code);
  if (!copy) return code;
  if (call.has("--json")) {
    print_result(changes_json(*copy));
    return exit_done;
  }
  print_result(summary(*copy));
  for (const ChangedPath& change : copy->changes)
    print_result("\n" + printable(difference(world, *copy, change), true));
  if (copy->changes.empty()) print_message("nothing was changed\n");
  return exit_done;
}

int run_take(const Invocation& call, World& world) {
  int code = exit_done;
  const std::optional<CopyOfRun> copy = find_copy(call, world, true, code);
  if (!copy) return code;
  const auto conflict = std::find_if(copy->changes.begin(), copy->changes.end(),
                                     [](const ChangedPath& change) { return change.conflict; });
  if (conflict != copy->changes.end() && !call.has("--force")) {
    print_message(summary(*copy));
    Diagnostics problems;
    problems.add(error("take-conflict",
                       "`" + printable(conflict->path) + "` was changed in the workspace since the copy was made")
                     .at(call.span_of_word(0))
                     .with_help("look at `sanduk changes " + copy->run_id + "`; --force takes the copy's side"));
    return report_problems(problems, call.terminal);
  }
  const std::vector<std::string> faults = take_changes(copy->workspace, copy->record, copy->changes);
  for (const std::string& fault : faults) print_message("sanduk: " + printable(fault) + "\n");
  print_result(call.has("--json") ? changes_json(*copy) : summary(*copy));
  return faults.empty() ? exit_done : exit_host_not_ready;
}

}  // namespace sanduk
