// Mount points that runs in one workspace share: the first run makes them, the last one removes them.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "container/covers.h"
#include "engine/run_record.h"

namespace sanduk {

// Held while it lives; what is done under it, no other run of this state directory does at the same time. Where the
// file system has no locks, it holds nothing.
class StateLock {
 public:
  explicit StateLock(const StateDirectory& state);

 private:
  FileDescriptor file_;
};

// What other live runs have made in `workspace` for their boxes, and have not removed yet. Under the lock.
std::vector<MountPoint> points_of_others(const StateDirectory& state, const std::string& run_id,
                                         const std::string& workspace);

// The workspace as it is without what other runs have laid there, as long as that is still empty.
PathLookup without_points(const std::string& workspace, PathLookup lookup, const std::vector<MountPoint>& points);

// Removes those points of `record` that no other live run needs, and takes all of them off the record. The caller
// stores it, still under the lock.
void release_points(const StateDirectory& state, RunRecord& record);

}  // namespace sanduk
