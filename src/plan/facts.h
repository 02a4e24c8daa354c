// What the host looks like, as far as a plan depends on it. Probed once, so that resolving is pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sanduk {

// A path that the profile names, as it was found.
struct PathFact {
  enum class Kind { missing, file, directory, other };
  Kind kind = Kind::missing;
  std::string resolved;  // absolute, links resolved as far as it exists
  bool readable = false;
  bool through_link = false;  // the path itself, below the workspace, passes a symbolic link
  std::int64_t owner_uid = 0;
  std::int64_t owner_gid = 0;
  std::string text;     // of a task file
  std::string sha256;   // of a file that the plan names, where it could be read
  std::string problem;  // why `text` could not be read
};

struct Facts {
  std::int64_t uid = 0;
  std::int64_t gid = 0;
  std::int64_t cpus = 1;
  std::string platform;  // "linux", "macos"
  std::string home;      // resolved
  std::string state_directory;
  std::string config_directory;
  std::map<std::string, PathFact> paths;   // by absolute path before links are resolved
  std::vector<std::string> profile_files;  // resolved, with their twins in the other format
};

}  // namespace sanduk
