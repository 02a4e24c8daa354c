// Holds a plan against the ceilings of the machine and the user.
#pragma once

#include <vector>

#include "diagnostics/diagnostic.h"
#include "plan/plan.h"
#include "profile/policy.h"
#include "profile/profile.h"

namespace sanduk {

// A fault for everything that the plan wants beyond a policy, with both places; `profile` is missing for a saved plan.
// Where the profile leaves the choice of the engine open, engines beyond the policy are not considered.
void apply_ceilings(const std::vector<Policy>& policies, const Profile* profile, Plan& plan, Diagnostics& problems);

}  // namespace sanduk
