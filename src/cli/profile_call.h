// What the commands that take a profile have in common: read it, resolve it.
#pragma once

#include <optional>

#include "cli/invocation.h"
#include "plan/plan.h"
#include "profile/profile.h"
#include "resolve/resolve.h"

namespace sanduk {

// The profile that `files` and the flags say.
Profile read_profile(const Invocation& call, const std::vector<std::string>& files, World& world,
                     Diagnostics& problems);

// Whether the profile's lock file holds the plan to its images. A build is what writes the lock.
enum class Images { locked, free };

// … and the plan that it gives; nothing when there are faults.
std::optional<Plan> make_plan(const Invocation& call, const std::vector<std::string>& files, World& world,
                              Diagnostics& problems, Purpose purpose = Purpose::run, Images images = Images::locked);

}  // namespace sanduk
