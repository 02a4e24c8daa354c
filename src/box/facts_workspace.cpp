#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "box/facts.h"

// Every probe does what a hostile agent would do, and takes it back when it works.

namespace sanduk::box {
namespace {

// A name that nothing left behind, and no former occupant, can have taken.
void add_probe_name(Text& path) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  path.add(".sanduk-probe-");
  path.add_number(now.tv_sec);
  path.add_number(now.tv_nsec);
}

int try_create(const char* path) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  close(fd);
  unlink(path);
  return 0;
}

int try_create_in(const char* directory) {
  Text path;
  path.add(directory);
  path.add('/');
  add_probe_name(path);
  return try_create(path.c_str());
}

// Moves away and back. A mount point refuses with EBUSY, whoever asks; RENAME_NOREPLACE keeps the user's files whole
// should the name be taken.
int try_rename(const char* path) {
  Text other;
  other.add(path);
  add_probe_name(other);
  if (renameat2(AT_FDCWD, path, AT_FDCWD, other.c_str(), RENAME_NOREPLACE) != 0) return errno;
  renameat2(AT_FDCWD, other.c_str(), AT_FDCWD, path, RENAME_NOREPLACE);
  return 0;
}

const char* kind_of(const char* path) {
  struct stat status {};
  if (lstat(path, &status) != 0) return "missing";
  if (S_ISREG(status.st_mode)) return "file";
  if (S_ISDIR(status.st_mode)) return "directory";
  return S_ISLNK(status.st_mode) ? "link" : "other";
}

int try_write(const char* path, const char* kind) {
  if (equal(kind, "directory")) return try_create_in(path);
  if (equal(kind, "file")) {
    const int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return errno;
    close(fd);
    return 0;
  }
  return access(path, W_OK) == 0 ? 0 : errno;
}

// How much of `path` is the workspace that holds it, the slash after it included; 0 when none does.
std::size_t workspace_length(const char* path, const Arguments& arguments) {
  for (int i = 0; i < arguments.writable_count; ++i) {
    const std::size_t length = strlen(arguments.writable[i]);
    if (strncmp(path, arguments.writable[i], length) == 0 && path[length] == '/') return length + 1;
  }
  return 0;
}

// A missing path is held when the first missing part of it cannot be made.
void add_protected(Json& report, const char* protected_path, std::size_t root) {
  char* path = strdup(protected_path);
  if (path == nullptr) return;
  const char* kind = kind_of(path);
  report.begin('{');
  report.field("path", path);
  report.field("kind", kind);
  int write = equal(kind, "missing") ? -1 : try_write(path, kind);
  report.field("rename", outcome(equal(kind, "missing") ? ENOENT : try_rename(path)));
  report.key("parents");
  report.begin('[');
  for (char* slash = root == 0 ? nullptr : strchr(path + root, '/'); slash != nullptr; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const char* parent_kind = kind_of(path);
    if (equal(parent_kind, "missing")) {
      if (write == -1) write = try_create(path);
    } else {
      report.begin('{');
      report.field("path", path);
      report.field("kind", parent_kind);
      report.field("rename", outcome(try_rename(path)));
      report.end('}');
    }
    *slash = '/';
  }
  report.end(']');
  report.field("write", outcome(write == -1 ? try_create(path) : write));
  report.end('}');
  free(path);
}

}  // namespace

void add_workspace_facts(Json& report, const Arguments& arguments) {
  struct statvfs root {};
  report.flag("root_read_only", statvfs("/", &root) == 0 && (root.f_flag & ST_RDONLY) != 0);
  report.key("writable");
  report.begin('[');
  for (int i = 0; i < arguments.writable_count; ++i) {
    report.begin('{');
    report.field("path", arguments.writable[i]);
    report.field("outcome", outcome(try_create_in(arguments.writable[i])));
    report.end('}');
  }
  report.end(']');
  report.key("protected");
  report.begin('[');
  for (int i = 0; i < arguments.protected_count; ++i) {
    const char* path = arguments.protected_paths[i];
    add_protected(report, path, workspace_length(path, arguments));
  }
  report.end(']');
}

}  // namespace sanduk::box
