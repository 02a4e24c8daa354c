// What the commands that look at runs have in common: all runs there are, and the one that a word means.
#pragma once

#include <optional>

#include "cli/invocation.h"
#include "engine/runs.h"

namespace sanduk {

struct RunChoice {
  StateDirectory state;
  std::vector<PlannedEngine> engines;  // that were asked
  Survey survey;
};

// Nothing, a message and a `code` where an engine cannot be asked: a listing that failed is no empty one.
std::optional<RunChoice> look_at_runs(const Invocation& call, World& world, bool history, int& code);

// The run that call.words[index] means. Nothing, a message and a `code` where it means none, or more than one.
const KnownRun* choose_run(const Invocation& call, std::size_t index, const std::vector<KnownRun>& runs, int& code);

}  // namespace sanduk
