// Why a run ended, and the exit code that follows from it.
#pragma once

#include <optional>
#include <string>

#include "diagnostics/diagnostic.h"
#include "engine/execute.h"

namespace sanduk {

// Thrown between and inside steps when the user asked to stop.
struct Interrupted {
  int signal = 0;
};

struct Ending {
  RunStatus status = RunStatus::done;
  int exit_code = 0;
  std::optional<Diagnostic> diagnostic;  // absent: it went well
};

Ending ended_by(const RunError& error);
Ending ended_by(const Interrupted& interrupt);
Ending ended_by_bug(const std::string& what);
Ending ended_by_timeout(std::int64_t seconds);

// The relay asked for the end, in its own words.
Ending ended_by_relay(const std::string& code, const std::string& why);

// "done", "agent-failed", …: the status as the record and `--json` spell it.
std::string status_word(RunStatus status);

}  // namespace sanduk
