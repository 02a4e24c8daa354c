// Layers into one Profile: defaults, the bases that `extends` names, the profile file, the command line.
#pragma once

#include <string>
#include <vector>

#include "base/world.h"
#include "config/node.h"
#include "profile/profile.h"

namespace sanduk {

// Reads `files` (later ones win) and then `flags`. A name "sanduk:NAME" is a shipped profile; "-" is standard input in
// `stdin_format`. Faults are in `problems`; the Profile is as complete as it could be made.
Profile load_profile(const std::vector<std::string>& files, const Document& flags, World& world, Diagnostics& problems,
                     const std::string& stdin_format = "");

// Reads one file, and those that it extends, as they were at a revision of their git repository.
Profile load_profile_at(const std::string& revision, const std::string& file, World& world, Diagnostics& problems);

// Names of the shipped profiles, without "sanduk:".
std::vector<std::string> built_in_profiles();

}  // namespace sanduk
