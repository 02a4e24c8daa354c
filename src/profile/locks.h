// Restrictions that stick: what a profile with `locked = true` allows is the most that anything built on it may allow.
#pragma once

#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "profile/profile.h"

namespace sanduk {

struct ProfileLock {
  std::string name;  // as the user knows the file
  Span where;        // of its `locked`
  Profile bounds;    // the file with its bases and the defaults, and nothing else
};

// A fault for every setting of `profile` that lets the box do more than a lock does, with both places.
void check_locks(const std::vector<ProfileLock>& locks, const Profile& profile, Diagnostics& problems);

}  // namespace sanduk
