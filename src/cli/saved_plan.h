// A plan that was written to a file and comes back.
#pragma once

#include <optional>
#include <string>

#include "cli/invocation.h"
#include "plan/plan.h"

namespace sanduk {

// Whether the file is a plan: JSON profiles exist as well, and a plan says what it is.
bool is_saved_plan(const std::string& name);

// Reads the plan that call.words[index] names, without looking at what it names.
std::optional<Plan> read_plan_file(const Invocation& call, std::size_t index, Diagnostics& problems);

// The plan that `apply` is to do: alone on the line, its files unchanged, within the machine's ceilings.
std::optional<Plan> read_saved_plan(const Invocation& call, World& world, Diagnostics& problems);

}  // namespace sanduk
