#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "container/covers.h"

// The one place of this layer that touches files. The workspace may hold what an earlier agent laid there: nothing here
// follows a link below it.

namespace sanduk {
namespace {

// The directory of the workspace that holds the last part of `path`; `name` gets that part.
FileDescriptor open_parent(const std::string& workspace, const std::string& path, std::string& name) {
  FileDescriptor at(open(workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::vector<std::string> parts = split(path, '/');
  for (std::size_t i = 0; at && i + 1 < parts.size(); ++i) {
    at = FileDescriptor(openat(at.get(), parts[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  name = parts.back();
  return at;
}

bool make(int directory, const std::string& name, bool is_directory) {
  if (is_directory) return mkdirat(directory, name.c_str(), 0755) == 0;
  return bool(
      FileDescriptor(openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644)));
}

}  // namespace

FileResult<std::vector<MountPoint>> make_mount_points(const std::string& workspace,
                                                      const std::vector<MountPoint>& points) {
  std::vector<MountPoint> made;
  for (const MountPoint& point : points) {
    std::string name;
    const FileDescriptor parent = open_parent(workspace, point.path, name);
    if (parent && make(parent.get(), name, point.directory)) {
      made.push_back(point);
    } else if (errno != EEXIST) {
      const int code = errno;
      remove_mount_points(workspace, made);
      return FileError{"cannot create " + workspace + "/" + point.path + ": " + std::strerror(code), code};
    }
  }
  return made;
}

void remove_mount_points(const std::string& workspace, const std::vector<MountPoint>& points) {
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    std::string name;
    const FileDescriptor parent = open_parent(workspace, point->path, name);
    if (!parent) continue;
    struct stat status {};
    if (fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (point->directory && S_ISDIR(status.st_mode)) {
      unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR);  // refuses one that is not empty
    } else if (!point->directory && S_ISREG(status.st_mode) && status.st_size == 0) {
      unlinkat(parent.get(), name.c_str(), 0);
    }
  }
}

}  // namespace sanduk
