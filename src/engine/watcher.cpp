#include "engine/watcher.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/portable.h"
#include "base/text.h"
#include "engine/owner.h"
#include "engine/reap.h"

namespace sanduk {
namespace {

constexpr std::string_view farewell = "done";

// The bytes themselves, not only the entry: they are what /proc/PID/environ shows.
void wipe_variable(const std::string& key_source) {
  if (!key_source.starts_with("env:")) return;
  const std::string name = key_source.substr(4);
  char* value = getenv(name.c_str());
  if (value == nullptr) return;
  volatile char* bytes = value;
  for (std::size_t i = strlen(value); i > 0; --i) bytes[i - 1] = 0;
  unsetenv(name.c_str());
}

// Nothing of the owner's stays open in here: a pipe that we hold would never end for its reader.
void keep_only(int fd) {
  const int null = open("/dev/null", O_RDWR);
  for (int standard = 0; standard <= 2; ++standard) dup2(null, standard);
  const long most = sysconf(_SC_OPEN_MAX);
#ifdef __linux__
  const bool closed = (fd <= 3 || close_range(3, static_cast<unsigned>(fd) - 1, 0) == 0) &&
                      close_range(static_cast<unsigned>(fd) + 1, ~0U, 0) == 0;
  if (closed) return;
#endif
  for (int other = 3; other < most; ++other) {
    if (other != fd) close(other);
  }
}

// Reads lines until the end; true when the last was a farewell.
bool listen(int fd, Owner& client) {
  std::string pending;
  std::array<char, 512> buffer{};
  for (;;) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    pending.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
      const std::vector<std::string> words = split(std::string_view(pending).substr(0, end), ' ');
      pending.erase(0, end + 1);
      if (words.size() == 1 && words[0] == farewell) return true;
      if (words.size() == 2) client = {parse_decimal(words[0]).value_or(0), words[1]};
    }
  }
}

[[noreturn]] void watch(int fd, World& world, const StateDirectory& state, const std::string& run_id,
                        const std::string& key_source) {
  setsid();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  signal(SIGCHLD, SIG_DFL);
  name_process("sanduk-watch");
  keep_only(fd);
  wipe_variable(key_source);
  if (chdir("/") != 0) _exit(1);
  world.stop_fd = -1;
  Owner client;
  if (listen(fd, client)) _exit(0);
  if (client.pid > 0 && is_alive(client)) kill(static_cast<pid_t>(-client.pid), SIGKILL);
  try {
    abandon(world, state, run_id);
  } catch (...) {
    _exit(1);  // the next run's reaping will try again
  }
  _exit(0);
}

}  // namespace

Watcher::Watcher(World& world, const StateDirectory& state, const std::string& run_id, const std::string& key_source) {
  std::array<int, 2> ends{};
  if (!make_pipe(ends)) return;
  FileDescriptor read_end(ends[0]);
  pipe_ = FileDescriptor(ends[1]);
  pid_ = fork();
  if (pid_ == 0) watch(read_end.get(), world, state, run_id, key_source);
  if (pid_ < 0) pipe_.close();
}

Watcher::~Watcher() {
  if (pid_ <= 0 || !pipe_) return;
  write_all(pipe_.get(), std::string(farewell) + "\n");
  pipe_.close();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Watcher::started_client(pid_t pid) {
  if (!pipe_) return;
  const Owner client = process(pid);
  write_all(pipe_.get(), std::to_string(client.pid) + " " + client.start_time + "\n");
}

void Watcher::hand_over() { pipe_.close(); }

}  // namespace sanduk
