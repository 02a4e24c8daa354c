#include "container/report_mounts.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "container/box.h"

namespace sanduk {
namespace {

using Faults = std::vector<std::string>;
using ByPath = std::map<std::string, ReportedMount>;

bool is_at_or_below(const std::string& path, std::string_view directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

bool is_read_only(const ReportedMount& mount) {
  const std::vector<std::string> options = split(mount.options, ',');
  return std::find(options.begin(), options.end(), "ro") != options.end();
}

// Whether `mount` shows the workspace's own file. An engine resolves the source of a mount when the box starts, links
// included: another box that is at work in the same workspace could have swapped the path for a link since it was
// looked at. File systems that gVisor and the like put between do not tell what is mounted.
bool is_own(const ReportedMount& mount, const ReportedMount& workspace) {
  if (mount.type == "9p" || workspace.type == "9p") return true;
  if (mount.root.ends_with("/empty-file") || mount.root.ends_with("/empty-directory")) return true;
  const std::string relative = mount.path.substr(box_workspace.size());
  return mount.device == workspace.device && mount.root == (workspace.root == "/" ? "" : workspace.root) + relative;
}

// The mounts on the way to a protected path: the innermost must be read-only, all must be the workspace's own.
void check_cover(const ByPath& mounts, const ReportedMount& workspace, const std::string& path, Faults& faults) {
  bool held = false;
  std::string at(box_workspace);
  for (const std::string& part : split(path, '/')) {
    if (part.empty()) continue;
    at += "/" + part;
    const auto mount = mounts.find(at);
    if (mount == mounts.end()) {
      if (!held) break;
      continue;
    }
    if (!is_own(mount->second, workspace)) {
      faults.push_back("what is mounted at " + at + " is not the workspace's own: " + printable(mount->second.root));
    }
    held = is_read_only(mount->second);
  }
  if (!held) faults.push_back("no read-only mount holds the protected path " + path);
}

bool is_image_volume(const ReportedMount& mount) {
  return mount.root.ends_with("/_data") && mount.root.find("/volumes/") != std::string::npos;
}

// Mounts that an engine makes for itself.
bool is_the_engines(const ReportedMount& mount) {
  static constexpr std::array<std::string_view, 5> own = {"/etc/resolv.conf", "/etc/hostname", "/etc/hosts",
                                                          "/run/.containerenv", "/run/secrets"};
  for (const std::string_view directory : {"/proc", "/sys", "/dev"}) {
    if (is_at_or_below(mount.path, directory)) return true;
  }
  if (mount.path == "/" || std::find(own.begin(), own.end(), mount.path) != own.end()) return true;
  return (mount.type == "tmpfs" && mount.root == "/") || is_image_volume(mount);
}

bool is_planned(const ReportedMount& mount, const Plan& plan) {
  if (mount.path == box_workspace || mount.path == box_input) return true;
  if (mount.path == "/sanduk" || (plan.transport == Transport::socket && mount.path == "/run/sanduk")) return true;
  for (const PlannedMount& planned : plan.mounts) {
    if (is_at_or_below(mount.path, planned.box_path)) return true;
  }
  // The covers of protected paths; and a file system of the host's that is mounted inside the workspace comes with it.
  return is_at_or_below(mount.path, box_workspace);
}

}  // namespace

void check_reported_mounts(const std::vector<ReportedMount>& mounts, const Plan& plan, Faults& faults) {
  ByPath by_path;
  // Of two mounts at one place the later one counts.
  for (const ReportedMount& mount : mounts) by_path[mount.path] = mount;

  const auto workspace = by_path.find(std::string(box_workspace));
  if (workspace == by_path.end()) {
    faults.push_back("the workspace is not mounted in the box");
  } else if (plan.workspace.mode == WorkspaceMode::ro) {
    if (!is_read_only(workspace->second)) faults.push_back("the workspace can be written by the box");
  } else {
    for (const std::string& path : plan.workspace.protected_paths)
      check_cover(by_path, workspace->second, path, faults);
  }
  const auto must_be_read_only = [&](const std::string& path, const std::string& words) {
    const auto mount = by_path.find(path);
    if (mount == by_path.end()) {
      faults.push_back(words + " is not mounted in the box");
    } else if (!is_read_only(mount->second)) {
      faults.push_back(words + " can be written by the box");
    }
  };
  must_be_read_only("/sanduk", "the helper's directory");
  if (plan.transport == Transport::socket) must_be_read_only("/run/sanduk", "the relay's directory");
  for (const PlannedMount& planned : plan.mounts) {
    if (planned.read_only) must_be_read_only(planned.box_path, "the mount " + planned.box_path);
  }
  for (const auto& [path, mount] : by_path) {
    if (is_the_engines(mount) || is_planned(mount, plan)) continue;
    faults.push_back("the box has a mount that the plan does not name: " + printable(path));
  }
}

}  // namespace sanduk
