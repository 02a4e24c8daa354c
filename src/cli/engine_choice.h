// Which container engines a command speaks to: the one that --runtime names, or all that this platform may have.
#pragma once

#include <optional>
#include <vector>

#include "cli/invocation.h"
#include "plan/plan.h"

namespace sanduk {

struct EngineChoice {
  std::vector<PlannedEngine> engines;
  bool named = false;  // by the user: its absence is a fault
};

// Nothing, and a diagnostic, where the name is not known.
std::optional<EngineChoice> choose_engines(const Invocation& call, World& world, Diagnostics& problems);

// Prints what the host lacks and gives exit_host_not_ready.
int report_host_faults(const std::vector<Diagnostic>& faults, const Terminal& terminal);

// Whether an engine answers, and what it says of itself: its version.
struct EngineAnswer {
  bool installed = false;
  bool ready = false;
  std::string version;
  std::optional<Diagnostic> fault;
};
EngineAnswer ask_engine(World& world, const PlannedEngine& engine);

// Rows of words, in columns as wide as they must be; the first row is the head. Safe for a terminal.
std::string columns(const std::vector<std::vector<std::string>>& rows);

}  // namespace sanduk
