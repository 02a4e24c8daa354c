// Reads from the host what resolving a profile depends on. Starts nothing, creates nothing, needs no engine.
#pragma once

#include "base/world.h"
#include "plan/facts.h"
#include "profile/profile.h"

namespace sanduk {

Facts probe(const Profile& profile, World& world);

}  // namespace sanduk
