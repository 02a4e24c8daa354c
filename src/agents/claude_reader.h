// "claude-stream-json": one JSON record a line, as Claude Code prints them with --output-format stream-json.
#pragma once

#include "agents/agent_reader.h"

namespace sanduk {

std::unique_ptr<AgentReader> make_claude_reader(AgentReader::Listener listener);

}  // namespace sanduk
