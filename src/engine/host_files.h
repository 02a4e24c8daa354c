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

// All of them below `workspace`. No link is followed.
struct HostFiles {
  std::map<std::string, std::string> marks;  // by path: what a change of the file would change
  std::string unseen;                        // why not all files were looked at, in words; empty: all were
};
HostFiles mark_host_files(const std::filesystem::path& workspace);

// "Makefile (build script)": made, changed or removed since. First of all, that not all was looked at: an agent can
// make more files than anyone looks through.
std::vector<std::string> changed_host_files(const HostFiles& before, const HostFiles& after);

}  // namespace sanduk
