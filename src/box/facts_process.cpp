#include <dirent.h>
#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "box/facts.h"

namespace sanduk::box {
namespace {

// The value of "NAME:\tVALUE" in /proc/self/status; null when it is not there.
const char* status_value(char* status, const char* name, char* value, std::size_t size) {
  char* at = strstr(status, name);
  if (at == nullptr || (at != status && at[-1] != '\n')) return nullptr;
  at += strlen(name);
  at += strspn(at, ": \t");
  const std::size_t length = strcspn(at, "\n");
  if (length >= size) return nullptr;
  memcpy(value, at, length);
  value[length] = '\0';
  return value;
}

void add_capabilities(Json& report, char* status) {
  static const char* const sets[][2] = {{"effective", "CapEff"},
                                        {"permitted", "CapPrm"},
                                        {"inheritable", "CapInh"},
                                        {"bounding", "CapBnd"},
                                        {"ambient", "CapAmb"}};
  report.key("capabilities");
  report.begin('{');
  for (const auto& set : sets) {
    char value[64];
    report.key(set[0]);
    if (status_value(status, set[1], value, sizeof value) != nullptr) {
      report.string(value);
    } else {
      report.null();
    }
  }
  report.end('}');
}

// A user namespace would give back every capability inside it, and with it most of the kernel's attack surface.
int try_user_namespace() {
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) _exit(unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

void add_groups(Json& report) {
  gid_t groups[256];
  const int count = getgroups(256, groups);
  report.key("groups");
  report.begin('[');
  for (int i = 0; i < count; ++i) report.number(groups[i]);
  report.end(']');
}

// Whole: the host searches them for the key.
void add_arguments(Json& report, const char* pid) {
  Text path;
  path.add("/proc/");
  path.add(pid);
  path.add("/cmdline");
  Text line(std::size_t{2} << 20);
  read_small_file(path.c_str(), line, std::size_t{2} << 20);
  report.key("arguments");
  report.begin('[');
  const char* at = line.data();
  const char* end = at + line.size();
  while (at < end) {
    const std::size_t length = strnlen(at, static_cast<std::size_t>(end - at));
    report.string(at, length);
    at += length + 1;
  }
  report.end(']');
}

void add_processes(Json& report) {
  report.key("processes");
  report.begin('[');
  DIR* directory = opendir("/proc");
  while (directory != nullptr) {
    const dirent* entry = readdir(directory);
    if (entry == nullptr) break;
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    report.begin('{');
    report.field("pid", strtoll(entry->d_name, nullptr, 10));
    add_arguments(report, entry->d_name);
    report.end('}');
  }
  if (directory != nullptr) closedir(directory);
  report.end(']');
}

}  // namespace

void add_process_facts(Json& report) {
  Text status;
  read_small_file("/proc/self/status", status);
  char* text = strdup(status.c_str());
  if (text != nullptr) {
    add_capabilities(report, text);
    free(text);
  }
  report.flag("no_new_privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
  report.field("user_namespaces", outcome(try_user_namespace()));
  report.field("uid", static_cast<long long>(geteuid()));
  report.field("gid", static_cast<long long>(getegid()));
  add_groups(report);
  report.key("environment");
  report.begin('[');
  for (char** variable = environ; *variable != nullptr; ++variable) report.string(*variable);
  report.end(']');
  add_processes(report);
}

}  // namespace sanduk::box
