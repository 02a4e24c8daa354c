// Reads what `gemini` prints as JSON lines.
#pragma once

#include "agents/agent_reader.h"

namespace sanduk {

std::unique_ptr<AgentReader> make_gemini_reader(AgentReader::Listener listener);

}  // namespace sanduk
