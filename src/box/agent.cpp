#include "box/agent.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <initializer_list>

#include "box/text.h"

namespace sanduk::box {
namespace {

rlimit files_before{};

// As many descriptors as the engine allows: a stream of the pump needs two. The agent gets its former bound back.
void raise_file_limit() {
  getrlimit(RLIMIT_NOFILE, &files_before);
  rlimit files = files_before;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

// A group of its own in front of the terminal, which belongs to the session of PID 1 for good.
void take_terminal() {
  setpgid(0, 0);
  signal(SIGTTOU, SIG_IGN);
  tcsetpgrp(STDIN_FILENO, getpid());
}

void take_input(const Arguments& arguments) {
  const char* input = arguments.input == nullptr ? "/dev/null" : arguments.input;
  const int fd = open(input, O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && dup2(fd, STDIN_FILENO) >= 0) return;
  say("cannot open the agent's input", input);
  _exit(exit_refused);
}

[[noreturn]] void become_agent(const Arguments& arguments) {
  if (arguments.terminal) {
    take_terminal();
  } else {
    setsid();
    take_input(arguments);
  }
  setrlimit(RLIMIT_NOFILE, &files_before);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);

  execvp(arguments.agent[0], arguments.agent);
  const int code = errno;
  Text words;
  words.add("cannot run ");
  words.add(arguments.agent[0]);
  say(words.c_str(), outcome(code));
  _exit(code == ENOENT ? exit_not_found : exit_not_executable);
}

int exit_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

int take_signals() {
  raise_file_limit();
  signal(SIGPIPE, SIG_IGN);
  sigset_t ours;
  sigemptyset(&ours);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&ours, number);
  if (sigprocmask(SIG_BLOCK, &ours, nullptr) != 0) return -1;
  return signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
}

pid_t start_agent(const Arguments& arguments) {
  for (int i = 0; i < arguments.dropped_count; ++i) unsetenv(arguments.dropped[i]);
  const pid_t agent = fork();
  if (agent == 0) become_agent(arguments);
  return agent;
}

int handle_signals(int signal_fd, pid_t agent) {
  signalfd_siginfo info{};
  while (read(signal_fd, &info, sizeof info) == sizeof info) {
    const int number = static_cast<int>(info.ssi_signo);
    // To itself as well: between its fork and its setsid the agent is no group yet.
    if (number != SIGCHLD && kill(-agent, number) != 0) kill(agent, number);
  }
  int code = -1;
  int status = 0;
  for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (ended == agent) code = exit_code(status);
  }
  return code;
}

}  // namespace sanduk::box
