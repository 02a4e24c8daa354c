// sanduk validate FILE...
#include "cli/commands.h"
#include "cli/profile_call.h"

namespace sanduk {

int run_validate(const Invocation& call, World& world) {
  Diagnostics problems;
  for (const std::string& file : call.words) {
    Diagnostics own;
    make_plan(call, {file}, world, own);
    for (Diagnostic& problem : own.sorted()) problems.add(std::move(problem));
  }
  if (call.has("--json")) return report_problems(problems, call.terminal, true);
  return problems.has_errors() ? report_problems(problems, call.terminal) : 0;
}

}  // namespace sanduk
