// The copy that an agent works on in the workspace mode `copy`: what it changed there, and bringing that back.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/world.h"
#include "diagnostics/diagnostic.h"

namespace sanduk {

// Where in a record's folder the copy is, and what the workspace was like when it was made.
std::filesystem::path copy_directory(const std::filesystem::path& record_directory);

// Copies `workspace`, owners and times with it, and notes what its files were like. Throws RunError (Failure::host).
void make_workspace_copy(World& world, const std::filesystem::path& workspace,
                         const std::filesystem::path& record_directory);

enum class CopyChange { added, changed, removed };

struct ChangedPath {
  std::string path;  // relative
  CopyChange change = CopyChange::changed;
  bool conflict = false;  // the workspace's own file was changed since the copy was made
  std::string host_use;   // see host_files.h
};

// What taking the copy would change in the workspace as it is now, sorted by path. Directories are not listed; links
// are compared as links.
std::vector<ChangedPath> changed_paths(const std::filesystem::path& workspace,
                                       const std::filesystem::path& record_directory);

// Does to the workspace what `changes` says, following no link on either side; gives what went wrong, in words.
std::vector<std::string> take_changes(const std::filesystem::path& workspace,
                                      const std::filesystem::path& record_directory,
                                      const std::vector<ChangedPath>& changes);

}  // namespace sanduk
