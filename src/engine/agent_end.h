// Judges how an agent ended, once it has ended by itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/agent_reader.h"
#include "container/box.h"
#include "engine/ending.h"
#include "engine/engine_client.h"
#include "plan/plan.h"

namespace sanduk {

struct AgentEnd {
  std::optional<ContainerState> container;  // absent: the engine does not know it, or does not answer
  AgentResult result;
  std::string errors;                   // the end of its standard error
  std::vector<std::string> box_faults;  // what the self-test found
};

// The helper ends with this when it could not set up the box, or the box was refused.
constexpr int box_helper_failed = 125;

Ending judge_agent_end(const AgentEnd& end, const Plan& plan, const BoxNames& names);

}  // namespace sanduk
