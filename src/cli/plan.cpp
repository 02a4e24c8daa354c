// sanduk plan FILE
#include "base/files.h"
#include "cli/commands.h"
#include "cli/engine_words.h"
#include "cli/exit_code.h"
#include "cli/profile_call.h"
#include "plan/plan_json.h"
#include "plan/plan_text.h"

namespace sanduk {

int run_plan(const Invocation& call, World& world) {
  Diagnostics problems;
  const std::optional<Plan> plan = make_plan(call, call.words, world, problems);
  const int code = report_problems(problems, call.terminal);
  if (!plan) return code;
  if (call.has("--output")) {
    const std::filesystem::path file = world.current_directory() / call.option("--output");
    if (const std::optional<FileError> failed = write_file_atomically(file, write_plan_json(*plan), 0644)) {
      Diagnostics faults;
      faults.add(error("unwritable-file", failed->message)
                     .at(call.line.option_spans.at("--output"))
                     .with_help("name a file in a directory that you may write"));
      return report_problems(faults, call.terminal);
    }
    return exit_done;
  }
  print_result(call.has("--json") ? write_plan_json(*plan) : render_plan(*plan) + engine_group(*plan));
  return exit_done;
}

}  // namespace sanduk
