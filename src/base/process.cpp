#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#ifdef __APPLE__
extern char** environ;
#endif

namespace sanduk {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::vector<std::string> environment(const Command& command) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string name(text.substr(0, text.find('=')));
    if (!command.variables.contains(name)) result.emplace_back(text);
  }
  for (const auto& [name, value] : command.variables) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

int decoded(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// Appends what can be read now, keeping at most `most`; false at the end of the stream.
bool drain(int fd, std::string& into, std::size_t most) {
  std::array<char, 65536> buffer{};
  const ssize_t got = read(fd, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  const std::size_t room = most - std::min(most, into.size());
  into.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
  return got > 0;
}

}  // namespace

Child Child::start(const Command& command) {
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  Pipe in = make_pipe();

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (!command.inherit_terminal) {
    if (command.input) {
      posix_spawn_file_actions_adddup2(&actions, in.read.get(), STDIN_FILENO);
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write.get(), STDERR_FILENO);
  }
#ifdef __GLIBC__
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (!command.inherit_terminal) flags |= POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(&attributes, flags);

  std::vector<std::string> argv = command.argv;
  std::vector<std::string> variables = environment(command);
  Child child;
  const int failed = posix_spawnp(&child.pid_, argv.at(0).c_str(), &actions, &attributes, pointers(argv).data(),
                                  pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) throw std::system_error(failed, std::generic_category(), argv[0]);
  child.output_ = std::move(out.read);
  child.error_ = std::move(err.read);
  if (command.input) child.input_ = std::move(in.write);
  return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      code_(other.code_),
      output_(std::move(other.output_)),
      error_(std::move(other.error_)),
      input_(std::move(other.input_)) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    Child old(std::move(*this));
    pid_ = std::exchange(other.pid_, -1);
    code_ = other.code_;
    output_ = std::move(other.output_);
    error_ = std::move(other.error_);
    input_ = std::move(other.input_);
  }
  return *this;
}

Child::~Child() {
  if (pid_ <= 0) return;
  if (!poll()) {
    signal_group(SIGKILL);
    wait_for(std::chrono::seconds(5));
  }
}

void Child::close_streams() {
  output_.close();
  error_.close();
  input_.close();
}

std::optional<int> Child::poll() {
  if (code_ || pid_ <= 0) return code_;
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  if (ended == pid_) code_ = decoded(status);
  return code_;
}

std::optional<int> Child::wait_for(std::chrono::milliseconds timeout) {
  const Clock::time_point deadline = Clock::now() + timeout;
  std::chrono::milliseconds pause(1);
  while (!poll() && Clock::now() < deadline) {
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(20));
  }
  return code_;
}

void Child::signal_group(int signal) {
  if (pid_ <= 0) return;
  if (kill(-pid_, signal) != 0 && !code_) kill(pid_, signal);
}

ProcessResult run_process(const Command& command, std::chrono::milliseconds timeout, std::size_t most_output,
                          int cancel_fd) {
  ProcessResult result;
  std::optional<Child> child;
  try {
    child = Child::start(command);
  } catch (const std::system_error& error) {
    result.error = std::string("cannot start ") + error.what();
    return result;
  }
  result.started = true;
  std::string_view input = command.input ? std::string_view(*command.input) : std::string_view();
  if (command.input) fcntl(child->input_.get(), F_SETFL, O_NONBLOCK);
  const Clock::time_point deadline = Clock::now() + timeout;
  while (child->output_ || child->error_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    std::array<pollfd, 4> fds = {pollfd{child->output_.get(), POLLIN, 0}, pollfd{child->error_.get(), POLLIN, 0},
                                 pollfd{child->input_.get(), POLLOUT, 0}, pollfd{cancel_fd, POLLIN, 0}};
    // In slices, so that the end of the program is seen while a child of its own holds the pipes.
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(std::clamp<long>(left.count(), 0, 100)));
    if (ready == 0 && child->poll()) break;
    if ((ready == 0 && Clock::now() >= deadline) || fds[3].revents != 0) {
      result.timed_out = true;
      child->signal_group(SIGTERM);
      if (!child->wait_for(std::chrono::seconds(2))) child->signal_group(SIGKILL);
      break;
    }
    if (fds[0].revents != 0 && !drain(child->output_.get(), result.output, most_output)) child->output_.close();
    if (fds[1].revents != 0 && !drain(child->error_.get(), result.errors, most_output)) child->error_.close();
    if (fds[2].revents != 0) {
      const ssize_t sent = write(child->input_.get(), input.data(), input.size());
      if (sent > 0) input.remove_prefix(static_cast<std::size_t>(sent));
      if (input.empty() || (sent < 0 && errno != EAGAIN && errno != EINTR)) child->input_.close();
    }
  }
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  std::optional<int> code = child->wait_for(std::max(left, std::chrono::milliseconds(1000)));
  if (!code) {
    result.timed_out = true;
    child->signal_group(SIGKILL);
    code = child->wait_for(std::chrono::seconds(5));
  }
  child->signal_group(SIGKILL);  // whatever the program left in its group
  result.exit_code = code.value_or(-1);
  return result;
}

}  // namespace sanduk
