// The content of a file as a digest, and which files of a saved plan are no longer what they were.
#pragma once

#include <filesystem>
#include <string>

#include "diagnostics/diagnostic.h"
#include "plan/plan.h"

namespace sanduk {

// 64 hexadecimal digits; empty when the file cannot be read or is larger than any file that a plan names may be.
std::string file_sha256(const std::filesystem::path& path);

// A fault for every file of the plan that is gone or has changed since the plan was made.
void check_files(const Plan& plan, Diagnostics& problems);

}  // namespace sanduk
