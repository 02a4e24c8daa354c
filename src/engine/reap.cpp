#include "engine/reap.h"

#include <utility>

#include "base/text.h"
#include "container/box.h"
#include "engine/codes.h"
#include "engine/engine_client.h"
#include "engine/run_directory.h"
#include "engine/shared_points.h"

namespace sanduk {
namespace {

BoxNames names_of(const RunRecord& record) {
  BoxNames names;
  names.run_id = record.container;
  names.engine = record.engine;
  names.network = record.network;
  return names;
}

bool is_over(const RunRecord& record) { return record.state == RunState::ended || record.state == RunState::abandoned; }

void remove_mark(const StateDirectory& state, const std::string& run_id) {
  std::error_code ignored;
  std::filesystem::remove(state.live_mark(run_id), ignored);
}

void mark_as_abandoned(World& world, RunRecord& record) {
  record.ended = timestamp(world.now());
  // A run that came to its end and only could not remove something keeps what it said of itself.
  record.state = record.status.empty() ? RunState::abandoned : RunState::ended;
  if (!record.status.empty()) return;
  record.status = "abandoned";
  record.reason = error(std::string(codes::interrupted), "process " + std::to_string(record.owner.pid) +
                                                             ", which owned the run, ended before the run did");
}

// The record of the run that made the container of this name: both end with the same digits.
std::optional<RunRecord> find_record(const StateDirectory& state, const std::string& container) {
  const std::string digits = container.substr(container.rfind('-') + 1);
  std::error_code error;
  for (std::filesystem::directory_iterator at(state.runs(), error), end; !error && at != end; at.increment(error)) {
    if (!at->path().filename().string().ends_with("-" + digits)) continue;
    if (FileResult<RunRecord> record = load_run_record(at->path())) return *record;
  }
  return std::nullopt;
}

}  // namespace

bool abandon(World& world, const StateDirectory& state, const std::string& run_id) {
  FileResult<RunRecord> loaded = load_run_record(state.run(run_id));
  if (!loaded) {
    // Without a record there is nothing that we could name. The labels remain.
    if (loaded.error().code == ENOENT) remove_mark(state, run_id);
    return false;
  }
  RunRecord& record = *loaded;
  if (!is_over(record)) {
    const Undisturbed undisturbed(world);
    if (record.container_requested) {
      if (!remove_container(world, names_of(record), !record.container_settled)) return false;
    }
    if (!record.network.empty() && !remove_network(world, names_of(record), !record.container_requested)) return false;
    if (!remove_run_directory(record.run_directory)) return false;
    const StateLock lock(state);
    release_points(state, record);
    mark_as_abandoned(world, record);
    if (store_run_record(state.run(run_id), record)) return false;
  }
  remove_mark(state, run_id);
  return true;
}

std::vector<std::string> reap_dead_runs(World& world, const StateDirectory& state) {
  std::vector<std::string> words;
  std::vector<std::string> dead;
  std::error_code error;
  for (std::filesystem::directory_iterator at(state.live(), error), end; !error && at != end; at.increment(error)) {
    const std::string run_id = at->path().filename().string();
    FileResult<RunRecord> record = load_run_record(state.run(run_id));
    if (record && !is_over(*record) && is_alive(record->owner)) continue;
    dead.push_back(run_id);
  }
  for (const std::string& run_id : dead) {
    FileResult<RunRecord> record = load_run_record(state.run(run_id));
    const bool was_over = !record || is_over(*record);
    const bool gone = abandon(world, state, run_id);
    if (was_over) continue;
    words.push_back(gone ? "cleaned up after run " + run_id + ", whose process is gone"
                         : "could not clean up after run " + run_id + "; its container is " + record->container);
  }
  return words;
}

std::vector<Reaped> reap_networks(World& world, const StateDirectory& state, const PlannedEngine& engine) {
  const Undisturbed undisturbed(world);
  const auto ask = [&](const std::vector<std::string>& argv) {
    return world.run({.argv = argv, .variables = {}, .input = {}}, engine_patience);
  };
  const ProcessResult listed = ask(list_networks_command(engine));
  if (!listed.ok()) return {{engine.name, false, "cannot list its networks: " + last_words(listed)}};
  const std::vector<std::string> names = read_network_names(listed.output, engine);
  std::vector<Reaped> reaped;
  for (const std::string& name : names) {
    const ProcessResult told = ask(inspect_networks_command(engine, {name}));
    if (!told.ok()) continue;  // gone meanwhile
    for (const ListedBox& network : read_networks(told.output)) {
      if (network.state_directory != state.root.string()) continue;
      if (is_alive({network.owner_pid, network.owner_start_time})) continue;
      BoxNames box;
      box.run_id = network.run_id;
      box.engine = engine;
      box.network = network.name;
      const bool gone = remove_network(world, box, false);
      reaped.push_back({network.name, gone, gone ? "removed" : engine.name + " did not remove it"});
    }
  }
  return reaped;
}

std::vector<std::string> reap_by_labels(World& world, const StateDirectory& state, const PlannedEngine& engine) {
  const ProcessResult listed = world.run({.argv = list_command(engine), .variables = {}, .input = {}}, engine_patience);
  std::vector<std::string> words;
  if (!listed.ok()) {
    words.push_back(engine.name + " could not list its containers: " + last_words(listed));
    return words;
  }
  std::vector<ListedBox> boxes;
  try {
    boxes = read_list(listed.output, engine);
  } catch (const RunError& error) {
    words.emplace_back(error.what());
    return words;
  }
  for (const ListedBox& box : boxes) {
    if (box.state_directory != state.root.string() || is_alive({box.owner_pid, box.owner_start_time})) continue;
    // One that was kept on purpose has a record, and that is over.
    if (const std::optional<RunRecord> record = find_record(state, box.name); record && is_over(*record)) continue;
    BoxNames names;
    names.run_id = box.name;
    names.engine = engine;
    const Undisturbed undisturbed(world);
    words.push_back(remove_container(world, names, false)
                        ? "removed the container " + box.name + ", whose owner is gone"
                        : "could not remove the container " + box.name);
  }
  for (const Reaped& network : reap_networks(world, state, engine)) {
    words.push_back("the network " + network.name + ", whose owner is gone: " + network.words);
  }
  return words;
}

}  // namespace sanduk
