// Files of a workspace that programs of the host run or obey by themselves: git hooks, editor tasks, direnv, CI files,
// package scripts. What a run has changed among them is told when it ends, for an agent may have written them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sanduk {

// What the host does with a file of this path, in words ("git hook"); empty: nothing by itself.
std::string host_use(const std::string& relative);

// All of them below `workspace`, and what a change of each would change. No link is followed, and only so many files
// are looked at.
using HostFiles = std::map<std::string, std::string>;
HostFiles mark_host_files(const std::filesystem::path& workspace);

// "Makefile (build script)": made, changed or removed since.
std::vector<std::string> changed_host_files(const HostFiles& before, const HostFiles& after);

}  // namespace sanduk
