// "plain": the output of a program that speaks no format. All of it is text, the end of it is the result.
#pragma once

#include "agents/agent_reader.h"

namespace sanduk {

std::unique_ptr<AgentReader> make_plain_reader(AgentReader::Listener listener);

}  // namespace sanduk
