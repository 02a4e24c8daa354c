// Which mounts keep the protected paths of a workspace as they are, whatever the agent does around them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "plan/plan.h"

namespace sanduk {

enum class PathKind { missing, file, directory, link, other };

// What lies at a path of the workspace, links not followed. Tests pass their own.
using PathLookup = std::function<PathKind(const std::string& relative)>;
PathLookup look_on_host(const std::string& workspace);

// One mount at /work/PATH.
//   held                 the path itself, read-only
//   pinned               the path itself, writable: a mount point cannot be renamed or removed, so nothing on the way
//   to
//                        a held path can be swapped for something of the agent's own
//   stand_in_file, …     nothing is there: an empty file or directory, read-only, so that nothing can come there
struct Cover {
  enum class How { held, pinned, stand_in_file, stand_in_directory };
  std::string path;  // relative to the workspace
  How how = How::held;
  bool operator==(const Cover&) const = default;
};

// For each protected path, outermost first: every parent pinned, the path held. Where a parent is missing, that parent
// is covered by an empty directory: the agent cannot make it, and so nothing below it. (With `.git/config` protected
// and no `.git`, the agent cannot `git init`.) Where a parent is no directory (`.git` of a linked work tree is a file),
// it is held itself. A missing path is a directory if its name ends in "/" or is known as one (".git", "hooks",
// ".vscode", …), else a file: either kind keeps the other from being made.
// Throws RunError (Failure::profile, "protected-path-is-link") where a part is a symbolic link: a mount would follow
// it, on the host, to wherever an earlier occupant of the workspace has pointed it.
std::vector<Cover> covers_of(const PlannedWorkspace& workspace, const PathLookup& lookup);

// A place inside the workspace that must exist for something to be mounted on it. Where it does not, the engine would
// make it, as its own user, and leave it behind; so the run makes it before and removes it after.
struct MountPoint {
  std::string path;  // relative to the workspace
  bool directory = false;
  bool operator==(const MountPoint&) const = default;
};

// What is missing for `covers` and the mounts of `plan`, in the order in which it must be made. The covers are looked
// up once, before anything is made, and the same ones go to create_command: what was made for them must not count as
// something of the workspace's own. Throws as covers_of.
std::vector<MountPoint> missing_mount_points(const Plan& plan, const std::vector<Cover>& covers,
                                             const PathLookup& lookup);

// Makes them, as the caller, following no link. What somebody else has made meanwhile is left out of what is returned:
// those that were made here, for remove_mount_points.
FileResult<std::vector<MountPoint>> make_mount_points(const std::string& workspace,
                                                      const std::vector<MountPoint>& points);

// Removes, innermost first, those that are still there and still empty. Only once the box is gone: removing what a
// running box has mounted takes the mount away.
void remove_mount_points(const std::string& workspace, const std::vector<MountPoint>& points);

}  // namespace sanduk
