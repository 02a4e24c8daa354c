// Whether an engine answers, and if not, what is the matter and what to do.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"

namespace sanduk {

// Asks the daemon, not only its client.
std::vector<std::string> ready_command(const std::string& engine);

struct EngineAnswer {
  enum class State { ready, not_installed, stopped, forbidden, silent, failing };
  State state = State::failing;
  std::string version;  // of the daemon, where it is ready
  std::string message;  // "docker is installed, but its daemon does not run"
  std::string detail;   // the engine's own words, their last line
  std::string help;     // the one thing to do
};
EngineAnswer read_ready(const std::string& engine, const ProcessResult& result);

}  // namespace sanduk
