// A profile, the catalogue and the host's facts -> a plan, or diagnostics. Pure.
#pragma once

#include <optional>

#include "catalog/catalog.h"
#include "diagnostics/diagnostic.h"
#include "plan/facts.h"
#include "plan/plan.h"
#include "profile/profile.h"

namespace sanduk {

// What the plan is for. A relay alone has no box: agent, task, image, workspace and engine are not looked at, and the
// mode is always the sealed one.
enum class Purpose { run, relay };

// Warnings may come with a plan; an error means that there is none.
std::optional<Plan> resolve(const Profile& profile, const Catalog& catalog, const Facts& facts, Diagnostics& problems,
                            Purpose purpose = Purpose::run);

}  // namespace sanduk
