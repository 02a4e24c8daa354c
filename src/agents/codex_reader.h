// Reads what `codex` prints as JSON lines.
#pragma once

#include "agents/agent_reader.h"

namespace sanduk {

std::unique_ptr<AgentReader> make_codex_reader(AgentReader::Listener listener);

}  // namespace sanduk
