// What the agent is asked to do.
#include "base/text.h"
#include "resolve/paths.h"
#include "resolve/resolution.h"

namespace sanduk {

void resolve_task(Resolution& r) {
  const Profile& p = r.profile;
  if (p.task.is_set() && p.task_file.is_set()) {
    // A base or the file may give one and the command line the other: the later layer says what is meant.
    const bool same_layer = p.task.origin.layer == p.task_file.origin.layer;
    if (same_layer) {
      r.fault("task-twice", "there is a `task` and a `task_file`", p.task.origin)
          .at(r.said_at(p.task_file.origin), "and here")
          .with_help("keep one of the two");
      return;
    }
  }
  const bool from_file = p.task_file.is_set() && (!p.task.is_set() || p.task_file.origin.layer > p.task.origin.layer);
  std::string task = *p.task;
  if (from_file) {
    const PathFact& fact = fact_of(r.facts, absolute_path(p.task_file->text, p.task_file.origin, p, r.facts.home));
    if (!fact.problem.empty()) {
      r.fault("unreadable-file", fact.problem, p.task_file.origin)
          .with_help("the path is relative to the file that says it");
      return;
    }
    task = fact.text;
  }
  const bool needed = r.agent && !r.agent->argv->empty();
  if (trim(task).empty()) {
    if (p.task.is_set() || p.task_file.is_set()) {
      r.fault("empty-task", "the task is empty", from_file ? p.task_file.origin : p.task.origin)
          .with_help("say what the agent is to do");
    } else if (needed) {
      r.problems.add(error("missing-key", "there is no task")
                         .at(p.where)
                         .with_help("write task = \"…\" or task_file = \"FILE\" at the top level"));
    }
    return;
  }
  if (!is_valid_utf8(task) || task.find('\0') != std::string::npos) {
    r.fault("bad-value", "the task is not text in UTF-8", from_file ? p.task_file.origin : p.task.origin)
        .with_help("save it as UTF-8, without NUL bytes");
    return;
  }
  while (task.ends_with('\n')) task.pop_back();
  if (*p.agent.report_instruction && !r.plan.workspace.report.empty()) {
    task += "\n\nWhen you are done, write your report to /work/" + r.plan.workspace.report + ".";
  }
  r.plan.task = task;
}

}  // namespace sanduk
