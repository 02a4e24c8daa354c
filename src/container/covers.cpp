#include "container/covers.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "base/text.h"
#include "container/box.h"
#include "diagnostics/diagnostic.h"

namespace sanduk {
namespace {

using How = Cover::How;

// Names that tools of the trade use for directories.
constexpr std::array<std::string_view, 18> directory_names = {
    ".git",    ".github",       ".gitlab", ".vscode", ".idea",     ".husky",    ".claude", ".codex", ".gemini",
    ".cursor", ".devcontainer", ".direnv", ".config", ".circleci", ".githooks", ".sanduk", "hooks",  "node_modules"};

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (const std::string& part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") throw std::logic_error("a path of the plan leaves the workspace: " + path);
    parts.push_back(part);
  }
  if (parts.empty() || path.starts_with('/')) throw std::logic_error("not a path inside the workspace: " + path);
  return parts;
}

bool is_directory_name(const std::string& path, const std::string& last) {
  return path.ends_with('/') || last.ends_with(".d") ||
         std::find(directory_names.begin(), directory_names.end(), last) != directory_names.end();
}

RunError is_link(const std::string& path, const std::string& part) {
  Diagnostic diagnostic = error("protected-path-is-link",
                                "the protected path `" + path + "` goes through a symbolic link (`" + part + "`)");
  diagnostic.note("a link can lead anywhere on this host, and whoever worked here before may have laid it");
  diagnostic.with_help("protect what the link points to, if that is in the workspace, or remove the link");
  return {Failure::profile, diagnostic};
}

// What keeps `path` as it is: its parents from the outermost, then itself.
std::vector<Cover> covers_of_path(const std::string& path, const PathLookup& lookup) {
  std::vector<Cover> covers;
  const std::vector<std::string> parts = parts_of(path);
  std::string at;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    at += (i == 0 ? "" : "/") + parts[i];
    const bool last = i + 1 == parts.size();
    const PathKind kind = lookup(at);
    if (kind == PathKind::link) throw is_link(path, at);
    if (kind == PathKind::missing) {
      const bool directory = !last || is_directory_name(path, parts[i]);
      covers.push_back({at, directory ? How::stand_in_directory : How::stand_in_file});
      return covers;
    }
    const bool ends_here = last || kind != PathKind::directory;
    covers.push_back({at, ends_here ? How::held : How::pinned});
    if (ends_here) return covers;
  }
  return covers;
}

bool is_below(const std::string& path, const std::string& parent) {
  return path.size() > parent.size() && path.starts_with(parent) && path[parent.size()] == '/';
}

// What `box_path` needs to exist inside the workspace, for a mount of `host_path` on it.
void add_mount_points(std::vector<MountPoint>& points, const PlannedMount& mount, const PathLookup& lookup) {
  const std::string prefix = std::string(box_workspace) + "/";
  if (!mount.box_path.starts_with(prefix)) return;
  const std::string path = mount.box_path.substr(prefix.size());
  const std::vector<std::string> parts = parts_of(path);
  std::error_code error;
  const bool directory = std::filesystem::is_directory(mount.host_path, error);
  std::string at;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    at += (i == 0 ? "" : "/") + parts[i];
    const PathKind kind = lookup(at);
    if (kind == PathKind::link) throw is_link(path, at);
    if (kind == PathKind::missing) points.push_back({at, i + 1 < parts.size() || directory});
  }
}

}  // namespace

PathLookup look_on_host(const std::string& workspace) {
  return [workspace](const std::string& relative) {
    struct stat status {};
    if (lstat((workspace + "/" + relative).c_str(), &status) != 0) return PathKind::missing;
    if (S_ISREG(status.st_mode)) return PathKind::file;
    if (S_ISDIR(status.st_mode)) return PathKind::directory;
    return S_ISLNK(status.st_mode) ? PathKind::link : PathKind::other;
  };
}

std::vector<Cover> covers_of(const PlannedWorkspace& workspace, const PathLookup& lookup) {
  // A read-only workspace holds all of its paths; a writable mount inside would be a hole in it.
  if (workspace.mode == WorkspaceMode::ro) return {};
  std::map<std::string, How> all;
  for (const std::string& path : workspace.protected_paths) {
    for (const Cover& cover : covers_of_path(path, lookup)) {
      const auto [entry, is_new] = all.try_emplace(cover.path, cover.how);
      if (!is_new && entry->second == How::pinned) entry->second = cover.how;
    }
  }
  std::vector<Cover> covers;
  for (const auto& [path, how] : all) {
    // What lies in something that is held is held with it.
    const bool inside = std::any_of(all.begin(), all.end(), [&path = path](const auto& other) {
      return other.second != How::pinned && is_below(path, other.first);
    });
    if (!inside) covers.push_back({path, how});
  }
  // Outer mounts come first: they would hide inner ones.
  std::stable_sort(covers.begin(), covers.end(), [](const Cover& left, const Cover& right) {
    return std::count(left.path.begin(), left.path.end(), '/') < std::count(right.path.begin(), right.path.end(), '/');
  });
  return covers;
}

std::vector<MountPoint> missing_mount_points(const Plan& plan, const std::vector<Cover>& covers,
                                             const PathLookup& lookup) {
  std::vector<MountPoint> points;
  for (const Cover& cover : covers) {
    if (cover.how == How::stand_in_file) points.push_back({cover.path, false});
    if (cover.how == How::stand_in_directory) points.push_back({cover.path, true});
  }
  for (const PlannedMount& mount : plan.mounts) add_mount_points(points, mount, lookup);
  std::vector<MountPoint> once;
  for (const MountPoint& point : points) {
    const auto same = [&](const MountPoint& other) { return other.path == point.path; };
    if (std::none_of(once.begin(), once.end(), same)) once.push_back(point);
  }
  return once;
}

}  // namespace sanduk
