#include "engine/reap.h"

#include <utility>

#include "base/text.h"
#include "container/box.h"
#include "engine/codes.h"
#include "engine/engine_client.h"
#include "engine/run_directory.h"

namespace sanduk {
namespace {

BoxNames names_of(const RunRecord& record) {
  BoxNames names;
  names.run_id = record.container;
  names.engine = record.engine;
  return names;
}

bool is_over(const RunRecord& record) {
  return record.state == RunState::ended || record.state == RunState::abandoned;
}

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
    if (record.container_requested && !remove_container(world, names_of(record), !record.container_created))
      return false;
    if (!remove_run_directory(record.run_directory)) return false;
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

}  // namespace sanduk
