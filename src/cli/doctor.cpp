// sanduk doctor [PROFILE]: what a run needs, and whether it is there.
#include "engine/doctor.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/engine_choice.h"
#include "cli/exit_code.h"
#include "cli/profile_call.h"
#include "engine/stop_signals.h"

namespace sanduk {
namespace {

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    std::string head = grade_word(finding.grade);
    head.resize(6, ' ');
    head += finding.what;
    head.resize(18, ' ');
    text += head + printable(finding.words) + "\n";
    if (!finding.fix.empty()) text += std::string(18, ' ') + "fix: " + printable(finding.fix) + "\n";
  }
  return text;
}

std::string findings_json(const std::vector<Finding>& findings, bool ready) {
  JsonWriter json(2);
  json.begin_object().field("ready", ready).key("findings").begin_array();
  for (const Finding& finding : findings) {
    json.begin_object().field("what", finding.what).field("grade", grade_word(finding.grade));
    json.field("words", finding.words).field("fix", finding.fix).end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

// Without a profile, the one of `sanduk run`, sealed: that is what most of it is about.
std::optional<Plan> plan_to_examine(const Invocation& call, World& world, Diagnostics& problems) {
  Invocation asked = call;
  if (asked.line.settings.root.find("task") == nullptr && call.words.empty()) {
    Node task;
    task.kind = Node::Kind::string;
    task.text = "-";
    asked.line.settings.root.entries.push_back({"task", {}, task});
  }
  return make_plan(asked, call.words.empty() ? std::vector<std::string>{"sanduk:sealed"} : call.words, world, problems);
}

}  // namespace

int run_doctor(const Invocation& call, World& world) {
  Diagnostics problems;
  const std::optional<Plan> plan = plan_to_examine(call, world, problems);
  // A profile that is named must be one; the host is looked at even where the current directory can be no workspace.
  if (!plan && !call.words.empty()) return report_problems(problems, call.terminal);
  std::vector<PlannedEngine> engines = plan ? plan->engines : std::vector<PlannedEngine>{};
  if (!plan) {
    Diagnostics faults;
    const std::optional<EngineChoice> choice = choose_engines(call, world, faults);
    if (!choice) return report_problems(faults, call.terminal);
    engines = choice->engines;
  }
  const StopSignals signals;
  world.stop_fd = signals.fd();
  std::vector<Finding> findings;
  const std::optional<PlannedEngine> engine = examine_engines(world, engines, findings);
  examine_host(world, findings);
  if (plan && engine) {
    examine_plan(world, *plan, *engine, findings);
  } else if (!plan) {
    std::string why = "no profile was looked at";
    for (const Diagnostic& problem : problems.sorted()) {
      if (problem.severity == Severity::error) why = problem.message;
    }
    findings.push_back({"profile", Finding::Grade::warn, why, "sanduk doctor PROFILE"});
  }
  const bool ready = std::none_of(findings.begin(), findings.end(),
                                  [](const Finding& finding) { return finding.grade == Finding::Grade::fail; });
  print_result(call.has("--json") ? findings_json(findings, ready) : findings_text(findings));
  return ready ? exit_done : exit_host_not_ready;
}

}  // namespace sanduk
