// sanduk ps, stop, clean, destroy, gc: the runs of this machine, and their end.
#include "engine/runs.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/engine_choice.h"
#include "cli/exit_code.h"
#include "cli/run_choice.h"
#include "diagnostics/render.h"
#include "engine/engine_client.h"
#include "engine/reap.h"

namespace sanduk {
namespace {

// What a command has done, one line a thing.
struct Deed {
  std::string kind;  // "run", "image", "network", "directory", "note"
  std::string name;
  bool done = true;
  std::string words;
};

int report_deeds(const Invocation& call, const std::vector<Deed>& deeds, const char* nothing) {
  const bool all_done = std::all_of(deeds.begin(), deeds.end(), [](const Deed& deed) { return deed.done; });
  if (call.has("--json")) {
    JsonWriter json(2);
    json.begin_object().key("done").begin_array();
    for (const Deed& deed : deeds) {
      json.begin_object().field("kind", deed.kind).field("name", deed.name).field("done", deed.done);
      json.field("words", deed.words).end_object();
    }
    json.end_array().end_object();
    print_result(json.text() + "\n");
  } else {
    for (const Deed& deed : deeds) {
      (deed.done ? print_result : print_message)(printable(deed.kind + " " + deed.name + ": " + deed.words) + "\n");
    }
    if (deeds.empty()) print_message(std::string(nothing) + "\n");
  }
  return all_done ? exit_done : exit_host_not_ready;
}

std::string started_words(const KnownRun& run) { return run.record ? run.record->started.substr(0, 19) + "Z" : ""; }

std::string owner_words(const KnownRun& run) {
  if (run.is_over()) return "";
  return std::to_string(run.owner.pid) + (run.owner_lives ? "" : " (gone)");
}

std::string runs_text(const std::vector<KnownRun>& runs) {
  std::vector<std::vector<std::string>> rows = {{"RUN", "STATE", "STATUS", "ENGINE", "NAME", "STARTED", "OWNER"}};
  for (const KnownRun& run : runs) {
    rows.push_back({run.id(), run.state(), run.record ? run.record->status : "", run.engine.name,
                    run.record ? run.record->plan_name : "", started_words(run), owner_words(run)});
  }
  return columns(rows);
}

std::string runs_json(const std::vector<KnownRun>& runs) {
  JsonWriter json(2);
  json.begin_object().key("runs").begin_array();
  for (const KnownRun& run : runs) {
    json.begin_object().field("run", run.id()).field("state", run.state());
    json.field("status", run.record ? run.record->status : "");
    json.field("engine", run.engine.name);
    json.field("container", run.box ? run.box->name : "").field("container_state", run.box ? run.box->state : "");
    json.field("name", run.record ? run.record->plan_name : "");
    json.field("workspace", run.record ? run.record->workspace : "");
    json.field("started", run.record ? run.record->started : "");
    json.field("owner_pid", run.owner.pid).field("owner_lives", run.owner_lives).field("ours", run.ours);
    json.end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

// Ends or removes the runs that the line names; without names all that no other living process owns, or, with --all,
// all there are.
std::optional<std::vector<Deed>> act_on_runs(const Invocation& call, World& world, bool remove, int& code) {
  const std::optional<RunChoice> choice = look_at_runs(call, world, true, code);
  if (!choice) return std::nullopt;
  std::vector<const KnownRun*> chosen;
  if (call.words.empty()) {
    for (const KnownRun& run : choice->survey.runs) {
      if (run.is_over() && !run.box) continue;
      // What another state directory knows is not ours to end, and whether its owner lives may not be seen from here.
      if (call.has("--all") || (run.ours && !run.owner_lives)) chosen.push_back(&run);
    }
  }
  for (std::size_t i = 0; i < call.words.size(); ++i) {
    const KnownRun* run = choose_run(call, i, choice->survey.runs, code);
    if (run == nullptr) return std::nullopt;
    chosen.push_back(run);
  }
  std::vector<Deed> deeds;
  for (const KnownRun* run : chosen) {
    const RunAction action = remove ? clean_run(world, choice->state, *run) : stop_run(world, *run);
    deeds.push_back({"run", run->id(), action.done, action.words});
  }
  return deeds;
}

constexpr const char* nothing_to_end = "nothing to do; runs of living owners end with a name or --all";

// The images that sanduk has built bear its label.
void remove_images(World& world, const PlannedEngine& engine, std::vector<Deed>& deeds) {
  const ProcessResult listed =
      world.run({.argv = {engine.program, "images", "--quiet", "--no-trunc", "--filter", "label=sanduk.agent-uid"},
                 .variables = {},
                 .input = {}},
                engine_patience);
  if (!listed.started) return;
  if (!listed.ok()) {
    deeds.push_back({"image", "(" + engine.name + ")", false, "cannot be listed: " + last_words(listed)});
    return;
  }
  std::vector<std::string> ids = split(trim(listed.output), '\n');
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (const std::string& id : ids) {
    if (id.empty()) continue;
    const ProcessResult removed = world.run(
        {.argv = {engine.program, "image", "rm", "--force", id}, .variables = {}, .input = {}}, engine_patience);
    deeds.push_back({"image", id, removed.ok(), removed.ok() ? "removed" : last_words(removed)});
  }
}

}  // namespace

int run_ps(const Invocation& call, World& world) {
  int code = exit_done;
  const std::optional<RunChoice> choice = look_at_runs(call, world, call.has("--all"), code);
  if (!choice) return code;
  print_result(call.has("--json") ? runs_json(choice->survey.runs) : runs_text(choice->survey.runs));
  return exit_done;
}

int run_stop(const Invocation& call, World& world) {
  int code = exit_done;
  const std::optional<std::vector<Deed>> deeds = act_on_runs(call, world, false, code);
  return deeds ? report_deeds(call, *deeds, nothing_to_end) : code;
}

int run_clean(const Invocation& call, World& world) {
  int code = exit_done;
  const std::optional<std::vector<Deed>> deeds = act_on_runs(call, world, true, code);
  return deeds ? report_deeds(call, *deeds, nothing_to_end) : code;
}

int run_destroy(const Invocation& call, World& world) {
  int code = exit_done;
  std::optional<std::vector<Deed>> deeds = act_on_runs(call, world, true, code);
  if (!deeds) return code;
  Diagnostics problems;
  const std::optional<EngineChoice> choice = choose_engines(call, world, problems);
  if (!choice) return report_problems(problems, call.terminal);
  for (const PlannedEngine& engine : choice->engines) {
    if (ask_engine(world, engine).ready) remove_images(world, engine, *deeds);
  }
  return report_deeds(call, *deeds, "nothing to do");
}

int run_gc(const Invocation& call, World& world) {
  int code = exit_done;
  const std::optional<RunChoice> choice = look_at_runs(call, world, false, code);
  if (!choice) return code;
  std::vector<Deed> deeds;
  for (const KnownRun& run : choice->survey.runs) {
    // What was kept on purpose stays; so does what belongs to another state directory, whose owner may clean up itself.
    if (run.owner_lives || run.is_over() || !run.ours) continue;
    const RunAction action = clean_run(world, choice->state, run);
    deeds.push_back({"run", run.id(), action.done, action.words});
  }
  // A network of a run that left neither a record nor a container.
  for (const PlannedEngine& engine : choice->engines) {
    if (!ask_engine(world, engine).ready) continue;
    for (const Reaped& network : reap_networks(world, choice->state, engine)) {
      deeds.push_back({"network", network.name, network.done, network.words});
    }
  }
  for (const std::string& directory : remove_stray_directories(choice->state)) {
    deeds.push_back({"directory", directory, true, "removed"});
  }
  return report_deeds(call, deeds, "nothing is left over");
}

}  // namespace sanduk
