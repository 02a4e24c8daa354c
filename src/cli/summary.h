// What is said when a run has ended: the result for standard output, the account for standard error.
#pragma once

#include <string>

#include "cli/invocation.h"
#include "engine/execute.h"

namespace sanduk {

// The agent's final words, safe for a terminal; empty when there are none.
std::string outcome_result(const RunOutcome& outcome);

// One object: status, exit code, diagnostic, agent's and relay's numbers, report, record.
std::string outcome_json(const RunOutcome& outcome);

// Usage, report and record in a few lines, and why it failed if it did.
std::string outcome_summary(const RunOutcome& outcome, const Terminal& terminal, bool quiet);

}  // namespace sanduk
