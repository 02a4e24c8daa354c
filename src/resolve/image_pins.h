// What a lock file says of the image of a plan.
#pragma once

#include "diagnostics/diagnostic.h"
#include "plan/plan.h"
#include "profile/image_lock.h"

namespace sanduk {

// Holds the plan to what the lock says of its image. One that the lock does not know, for any of the plan's engines, is
// a fault: the profile has gone on, and its lock has not.
void apply_image_lock(const ImageLock& lock, Plan& plan, Diagnostics& problems);

}  // namespace sanduk
