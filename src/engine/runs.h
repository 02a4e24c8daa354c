// The runs of this machine as they are now, put together from records, containers and owners; and how they are ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/world.h"
#include "container/box.h"
#include "diagnostics/diagnostic.h"
#include "engine/run_record.h"

namespace sanduk {

// One run, from whatever is left of it: a record without a container is preparing or over, a container without a record
// has lost it.
struct KnownRun {
  std::optional<RunRecord> record;
  std::optional<ListedBox> box;
  PlannedEngine engine;  // without a name while none was chosen
  Owner owner;
  bool owner_lives = false;
  bool ours = true;  // of this state directory

  std::string id() const { return record ? record->run_id : box ? box->name : ""; }
  std::string container() const { return box ? box->name : record ? record->container : ""; }
  bool is_over() const { return record && (record->state == RunState::ended || record->state == RunState::abandoned); }
  // "running", "ended", … of the record; "orphaned" where the owner is gone; "kept" where only the container is left.
  std::string state() const;
};

struct Survey {
  std::vector<KnownRun> runs;        // oldest first
  std::vector<Diagnostic> warnings;  // an engine that is stopped, and holds nothing of ours
  std::vector<Diagnostic> faults;    // a listing that failed: what is missing above cannot be known
};

// `only`: the user named the one engine, so that its absence is a fault. `history`: runs that are over and gone as
// well.
Survey survey_runs(World& world, const StateDirectory& state, const std::vector<PlannedEngine>& engines, bool only,
                   bool history);

// Those that `word` can mean: a run's id, its container's name, a part of either that fits no other, or "last".
std::vector<const KnownRun*> runs_named(const std::vector<KnownRun>& runs, const std::string& word);

// What was done with a run, for people and for JSON.
struct RunAction {
  bool done = false;
  std::string words;  // "stopped", "removed", or why not
};

// Ends what runs and leaves the container. A living owner is asked to end its run itself, which takes all of it away.
RunAction stop_run(World& world, const KnownRun& run);
// Ends what runs and removes all but the record.
RunAction clean_run(World& world, const StateDirectory& state, const KnownRun& run);

// Directories of runs that nobody owns any more: no live record names them. Their paths, removed.
std::vector<std::string> remove_stray_directories(const StateDirectory& state);

}  // namespace sanduk
