// Cleans up after runs whose owner is dead. What belongs to a live one is never touched.
#pragma once

#include <string>
#include <vector>

#include "base/world.h"
#include "engine/run_record.h"

namespace sanduk {

// Removes what the run's record says it owns and marks it `abandoned`; true when nothing is left. Does not ask whether
// the owner lives. A run that is over already is left as it is.
bool abandon(World& world, const StateDirectory& state, const std::string& run_id);

// Every live run of `state` whose owner is dead. Says in words what was removed, and what could not be.
std::vector<std::string> reap_dead_runs(World& world, const StateDirectory& state);

// The same from the engine's side, for containers whose record is lost: those that bear our label for this state
// directory and a dead owner.
// Networks of this state directory's runs whose owner is gone, found by their labels, and what was done with each.
struct Reaped {
  std::string name;
  bool done = true;
  std::string words;
};
std::vector<Reaped> reap_networks(World& world, const StateDirectory& state, const PlannedEngine& engine);
// The same for containers, and then for networks: for when records were lost.
std::vector<std::string> reap_by_labels(World& world, const StateDirectory& state, const PlannedEngine& engine);

}  // namespace sanduk
