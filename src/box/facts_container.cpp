#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "box/facts.h"

namespace sanduk::box {
namespace {

// A number in a file of the control group; -1 for "max" (or a number beyond any machine), -2 when there is none.
long long limit_in(const char* path) {
  Text text;
  if (!read_small_file(path, text) || text.size() == 0) return -2;
  if (starts_with(text.c_str(), "max")) return -1;
  const long long value = strtoll(text.c_str(), nullptr, 10);
  return value < 0 || value > (1LL << 60) ? -1 : value;
}

long long either_limit(const char* unified, const char* legacy) {
  const long long value = limit_in(unified);
  return value != -2 ? value : limit_in(legacy);
}

// Thousandths of a processor.
long long cpu_limit() {
  Text text;
  long long quota = -2;
  long long period = 0;
  if (read_small_file("/sys/fs/cgroup/cpu.max", text)) {
    quota = starts_with(text.c_str(), "max") ? -1 : strtoll(text.c_str(), nullptr, 10);
    const char* second = strchr(text.c_str(), ' ');
    period = second == nullptr ? 0 : strtoll(second, nullptr, 10);
  } else {
    quota = limit_in("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
    period = limit_in("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  }
  if (quota < 0) return quota;
  return period > 0 ? quota * 1000 / period : -2;
}

void add_limit(Json& report, const char* name, long long value) {
  report.key(name);
  if (value == -2) {
    report.null();
  } else {
    report.number(value);
  }
}

void add_sockets(Json& report) {
  static const char* const known[] = {"/var/run/docker.sock",
                                      "/run/docker.sock",
                                      "/run/podman/podman.sock",
                                      "/run/containerd/containerd.sock",
                                      "/run/crio/crio.sock",
                                      "/run/buildkit/buildkitd.sock",
                                      "/run/k3s/containerd/containerd.sock",
                                      "/run/snapd.socket"};
  report.key("sockets");
  report.begin('[');
  for (const char* path : known) {
    if (access(path, F_OK) == 0) report.string(path);
  }
  report.end(']');
}

void add_devices(Json& report) {
  report.key("devices");
  report.begin('[');
  DIR* directory = opendir("/dev");
  while (directory != nullptr) {
    const dirent* entry = readdir(directory);
    if (entry == nullptr) break;
    if (entry->d_name[0] == '.') continue;
    struct stat status {};
    fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW);
    report.begin('{');
    report.field("name", entry->d_name);
    report.field("type", S_ISBLK(status.st_mode)   ? "block"
                         : S_ISCHR(status.st_mode) ? "character"
                         : S_ISDIR(status.st_mode) ? "directory"
                         : S_ISLNK(status.st_mode) ? "link"
                                                   : "other");
    report.end('}');
  }
  if (directory != nullptr) closedir(directory);
  report.end(']');
}

// mountinfo writes blanks and backslashes of a path as \OOO.
void unescape(char* text) {
  char* to = text;
  for (const char* from = text; *from != '\0'; ++from) {
    if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] != '\0' && from[3] != '\0') {
      *to++ = static_cast<char>((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
      from += 3;
    } else {
      *to++ = *from;
    }
  }
  *to = '\0';
}

// `root` is the mounted path within its file system: it tells whether a mount shows what the plan meant it to.
void add_mount(Json& report, char* line) {
  char* words[6] = {};
  char* rest = nullptr;
  for (int i = 0; i < 6; ++i) {
    words[i] = strtok_r(i == 0 ? line : nullptr, " ", &rest);
    if (words[i] == nullptr) return;
  }
  char* after = strstr(rest, "- ");
  if (after == nullptr) return;
  const char* type = strtok_r(after + 2, " ", &rest);
  unescape(words[3]);
  unescape(words[4]);
  report.begin('{');
  report.field("path", words[4]);
  report.field("root", words[3]);
  report.field("device", words[2]);
  report.field("options", words[5]);
  report.field("type", type == nullptr ? "" : type);
  report.end('}');
}

void add_mounts(Json& report) {
  report.key("mounts");
  report.begin('[');
  Text text;
  read_small_file("/proc/self/mountinfo", text, std::size_t{1} << 20);
  char* all = strdup(text.c_str());
  char* rest = nullptr;
  for (char* line = all == nullptr ? nullptr : strtok_r(all, "\n", &rest); line != nullptr;
       line = strtok_r(nullptr, "\n", &rest)) {
    add_mount(report, line);
  }
  free(all);
  report.end(']');
}

}  // namespace

void add_container_facts(Json& report) {
  report.key("limits");
  report.begin('{');
  add_limit(report, "memory", either_limit("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  add_limit(report, "pids", either_limit("/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"));
  add_limit(report, "cpu_thousandths", cpu_limit());
  report.end('}');
  add_sockets(report);
  add_devices(report);
  add_mounts(report);
}

}  // namespace sanduk::box
