// sanduk plan FILE
#include "base/files.h"
#include "cli/commands.h"
#include "cli/engine_choice.h"
#include "cli/engine_words.h"
#include "cli/exit_code.h"
#include "cli/profile_call.h"
#include "engine/engine_client.h"
#include "engine/image_pins.h"
#include "plan/plan_json.h"
#include "plan/plan_text.h"

namespace sanduk {
namespace {

// What the name of the image means to the engine now is what the plan will run, and on that engine alone.
std::optional<Diagnostic> pin(Plan& plan, World& world) try {
  const FoundEngine found = find_engine(plan, world);
  if (!found.image.exists) {
    return error("image-missing", found.engine.name + " has no image `" + plan.image.ref + "` to pin")
        .with_help("build or pull it first: sanduk build PROFILE");
  }
  if (std::optional<Diagnostic> drift = image_drift(plan.image, found.engine.name, found.image.id)) return drift;
  plan.image.pins = {{found.engine.name, found.image.id}};
  return std::nullopt;
} catch (const RunError& fault) {
  return fault.diagnostic;
}

}  // namespace

int run_plan(const Invocation& call, World& world) {
  Diagnostics problems;
  std::optional<Plan> plan = make_plan(call, call.words, world, problems);
  const int code = report_problems(problems, call.terminal);
  if (!plan) return code;
  if (call.has("--pin")) {
    if (const std::optional<Diagnostic> fault = pin(*plan, world)) return report_host_faults({*fault}, call.terminal);
  }
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
