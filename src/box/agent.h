// The agent as a child of PID 1: started clean, its signals forwarded, every orphan reaped.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "box/arguments.h"

namespace sanduk::box {

constexpr int exit_refused = 125;         // the box is not what it should be, or the helper cannot do its part
constexpr int exit_not_executable = 126;  // as a shell says it
constexpr int exit_not_found = 127;

// Blocks the signals that `signal_fd` then delivers, and SIGPIPE's default action. Returns the descriptor, or -1.
int take_signals();

// Starts the agent in a session of its own, with default signals and the input that the arguments name. -1 and errno
// on failure; a program that cannot be executed ends the child with 126 or 127 and says so.
pid_t start_agent(const Arguments& arguments);

// Takes what `signal_fd` holds: forwards requests to end to the agent's group and reaps every child that has ended.
// Returns the agent's exit code once it has ended (128+N for signal N), -1 before.
int handle_signals(int signal_fd, pid_t agent);

}  // namespace sanduk::box
