// Reads what `opencode` prints as JSON lines.
#pragma once

#include "agents/agent_reader.h"

namespace sanduk {

std::unique_ptr<AgentReader> make_opencode_reader(AgentReader::Listener listener);

}  // namespace sanduk
