// The engine's commands of a plan as a shell would take them, before any engine was asked.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace sanduk {

// Create, start, remove. Names that only a run knows stay in braces: {run}, {relay}, {helper} …
std::vector<std::vector<std::string>> engine_commands(const Plan& plan);

// One line a command.
std::string engine_command_lines(const Plan& plan);

// How its image is built, in one line.
std::string build_command_line(const Plan& plan);

// The group of `sanduk plan` that shows how the box is made: one flag a line.
std::string engine_group(const Plan& plan);

}  // namespace sanduk
