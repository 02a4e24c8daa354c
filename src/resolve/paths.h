// Where the paths of a profile lead.
#pragma once

#include <filesystem>
#include <string>

#include "config/setting.h"
#include "plan/facts.h"
#include "profile/profile.h"

namespace sanduk {

// Absolute, "~/" expanded, relative to the file that says it; links are not resolved.
std::filesystem::path absolute_path(const std::string& text, const Origin& origin, const Profile& profile,
                                    const std::string& home);

// The fact of an absolute path; `missing` when it was not probed.
const PathFact& fact_of(const Facts& facts, const std::filesystem::path& path);

}  // namespace sanduk
