#include "engine/shared_points.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace sanduk {
namespace {

bool holds(const std::vector<MountPoint>& points, const std::string& path) {
  return std::any_of(points.begin(), points.end(), [&](const MountPoint& point) { return point.path == path; });
}

bool is_empty_on_host(const std::string& workspace, const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::path(workspace) / path;
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(whole, error))) return false;
  return std::filesystem::is_empty(whole, error) && !error;
}

}  // namespace

StateLock::StateLock(const StateDirectory& state)
    : file_(open((state.root / "lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) {
  while (file_ && flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

std::vector<MountPoint> points_of_others(const StateDirectory& state, const std::string& run_id,
                                         const std::string& workspace) {
  std::vector<MountPoint> points;
  std::error_code error;
  for (std::filesystem::directory_iterator at(state.live(), error), end; !error && at != end; at.increment(error)) {
    const std::string other = at->path().filename().string();
    if (other == run_id) continue;
    FileResult<RunRecord> record = load_run_record(state.run(other));
    if (!record || record->workspace != workspace) continue;
    points.insert(points.end(), record->mount_points.begin(), record->mount_points.end());
  }
  return points;
}

PathLookup without_points(const std::string& workspace, PathLookup lookup, const std::vector<MountPoint>& points) {
  if (points.empty()) return lookup;
  return [workspace, lookup = std::move(lookup), points](const std::string& path) {
    const PathKind kind = lookup(path);
    return holds(points, path) && is_empty_on_host(workspace, path) ? PathKind::missing : kind;
  };
}

void release_points(const StateDirectory& state, RunRecord& record) {
  if (record.mount_points.empty()) return;
  const std::vector<MountPoint> others = points_of_others(state, record.run_id, record.workspace);
  std::vector<MountPoint> mine = std::exchange(record.mount_points, {});
  std::erase_if(mine, [&](const MountPoint& point) { return holds(others, point.path); });
  remove_mount_points(record.workspace, mine);
}

}  // namespace sanduk
