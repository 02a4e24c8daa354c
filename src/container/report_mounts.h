// Judges the mounts that the box reports: that what protects is there and shows the workspace's own files, and that
// nothing else of the host is.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace sanduk {

struct ReportedMount {
  std::string path;
  std::string root;     // what is mounted, as a path within its file system
  std::string device;   // "MAJOR:MINOR"
  std::string options;  // "rw,relatime"
  std::string type;     // "ext4"
};

void check_reported_mounts(const std::vector<ReportedMount>& mounts, const Plan& plan,
                           std::vector<std::string>& faults);

}  // namespace sanduk
