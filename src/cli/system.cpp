// sanduk system status|start|stop: whether the container engines are ready.
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/engine_choice.h"
#include "cli/exit_code.h"
#include "diagnostics/render.h"
#include "engine/engine_client.h"

namespace sanduk {
namespace {

struct Status {
  const PlannedEngine* engine;
  EngineAnswer answer;
};

int show_status(const Invocation& call, const std::vector<Status>& all) {
  bool any = false;
  JsonWriter json(2);
  json.begin_object().key("engines").begin_array();
  std::string text;
  for (const auto& [engine, answer] : all) {
    any = any || answer.ready;
    const std::string state = answer.ready ? "ready" : answer.installed ? "not ready" : "not installed";
    json.begin_object().field("name", engine->name).field("state", state).field("version", answer.version);
    json.field("why", answer.fault ? answer.fault->message : "").end_object();
    text += engine->name + ": " + state + (answer.version.empty() ? "" : ", version " + answer.version) + "\n";
  }
  json.end_array().field("ready", any).end_object();
  print_result(call.has("--json") ? json.text() + "\n" : text);
  if (any) return exit_done;
  std::vector<Diagnostic> faults;
  for (const Status& status : all) {
    if (status.answer.fault && status.answer.installed) faults.push_back(*status.answer.fault);
  }
  if (faults.empty() && !all.empty() && all[0].answer.fault) faults.push_back(*all[0].answer.fault);
  return report_host_faults(faults, call.terminal);
}

int change_service(const Invocation& call, World& world, const PlannedEngine& engine, bool start) {
  const std::vector<std::string>& words = start ? engine.service_start : engine.service_stop;
  if (words.empty()) {
    return report_host_faults(
        {error("not-managed", "the service of " + engine.name + " is not sanduk's to " + (start ? "start" : "stop"))
             .with_help(start ? engine.start_hint : "stop it as it was started")},
        call.terminal);
  }
  if (!start) print_message("sanduk: this stops " + engine.name + " for everything on this machine\n");
  std::vector<std::string> argv = words;
  argv.insert(argv.begin(), engine.program);
  const ProcessResult result = world.run({.argv = argv, .variables = {}, .input = {}}, std::chrono::minutes(5));
  if (!result.ok()) return report_host_faults({engine_fault(engine, result).diagnostic}, call.terminal);
  print_result(engine.name + ": " + (start ? "started" : "stopped") + "\n");
  return exit_done;
}

}  // namespace

int run_system(const Invocation& call, World& world) {
  Diagnostics problems;
  const std::string& verb = call.words[0];
  if (verb != "status" && verb != "start" && verb != "stop") {
    problems.add(error("usage", "`sanduk system` does not know `" + printable(verb) + "`")
                     .at(call.span_of_word(0))
                     .with_help("usage: sanduk system status|start|stop"));
    return report_problems(problems, call.terminal);
  }
  const std::optional<EngineChoice> choice = choose_engines(call, world, problems);
  if (!choice) return report_problems(problems, call.terminal);
  std::vector<Status> all;
  for (const PlannedEngine& engine : choice->engines) all.push_back({&engine, ask_engine(world, engine)});
  if (verb == "status") return show_status(call, all);
  // The one that is named, or else the first that is installed.
  for (const auto& [engine, answer] : all) {
    if (answer.installed || choice->named) return change_service(call, world, *engine, verb == "start");
  }
  return show_status(call, all);
}

}  // namespace sanduk
