#include "engine/owner.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace sanduk {
namespace {

struct Stat {
  bool known = false;
  char state = '?';
  std::string start_time;
};

Stat read_stat(std::int64_t pid) {
  Stat stat;
  FileResult<std::string> text = read_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  if (!text) return stat;
  // The name in parentheses may hold anything, blanks and parentheses too: count from the last one.
  const std::size_t end = text->rfind(')');
  if (end == std::string::npos || end + 2 >= text->size()) return stat;
  const std::vector<std::string> fields = split(std::string_view(*text).substr(end + 2), ' ');
  constexpr std::size_t start_time = 22 - 3;  // the first field after the name is number 3
  if (fields.size() <= start_time || fields[0].size() != 1) return stat;
  stat.known = true;
  stat.state = fields[0][0];
  stat.start_time = fields[start_time];
  return stat;
}

}  // namespace

Owner this_process() { return process(getpid()); }

Owner process(std::int64_t pid) { return {pid, read_stat(pid).start_time}; }

bool is_alive(const Owner& owner) {
  if (owner.pid <= 0) return false;
  const Stat stat = read_stat(owner.pid);
  if (stat.known) {
    const bool same = owner.start_time.empty() || stat.start_time == owner.start_time;
    return same && stat.state != 'Z' && stat.state != 'X';
  }
  // No such process, or a system without /proc: then the number must do, on the side of leaving things alone.
  return kill(static_cast<pid_t>(owner.pid), 0) == 0 || errno == EPERM;
}

}  // namespace sanduk
