#include "cli/run_choice.h"

#include "base/text.h"
#include "cli/engine_choice.h"
#include "cli/exit_code.h"
#include "diagnostics/render.h"

namespace sanduk {

std::optional<RunChoice> look_at_runs(const Invocation& call, World& world, bool history, int& code) {
  Diagnostics problems;
  const std::optional<EngineChoice> engines = choose_engines(call, world, problems);
  if (!engines) {
    code = report_problems(problems, call.terminal);
    return std::nullopt;
  }
  RunChoice choice;
  choice.engines = engines->engines;
  choice.state = StateDirectory{world.state_directory("sanduk")};
  choice.survey = survey_runs(world, choice.state, engines->engines, engines->named, history);
  for (const Diagnostic& warning : choice.survey.warnings) print_message(render_text(warning, {call.terminal.color}));
  if (!choice.survey.faults.empty()) {
    code = report_host_faults(choice.survey.faults, call.terminal);
    return std::nullopt;
  }
  return choice;
}

const KnownRun* choose_run(const Invocation& call, std::size_t index, const std::vector<KnownRun>& runs, int& code) {
  const std::string& word = call.words.at(index);
  const std::vector<const KnownRun*> found = runs_named(runs, word);
  if (found.size() == 1) return found[0];
  std::vector<std::string> ids;
  for (const KnownRun* run : found) ids.push_back(run->id());
  Diagnostics problems;
  problems.add(error("unknown-run", found.empty() ? "there is no run `" + printable(word) + "`"
                                                  : "`" + printable(word) + "` means more than one run")
                   .at(call.span_of_word(index))
                   .with_help(found.empty() ? "`sanduk ps --all` lists them; `last` is the newest"
                                            : "say more of it: " + join(ids, ", ")));
  code = report_problems(problems, call.terminal);
  return nullptr;
}

}  // namespace sanduk
