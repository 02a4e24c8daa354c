// What the helper takes away from itself and from every process in the box, beyond what the engine took.
#pragma once

namespace sanduk::box {

// What the engine had restricted before the helper did anything.
struct Found {
  bool no_new_privileges = false;
  int seccomp = -1;  // 0 none, 2 a filter, -1 unknown
};
Found find_restrictions();

// Standard streams alone stay open.
void close_inherited();

// No core files; at most `processes` of this user's in the box's user namespace; no file larger than that. 0: as the
// engine has it.
void limit_resources(int processes, int file_gigabytes);

// No new privileges, and a system call filter: no namespaces of its own, which some engines allow and in which a
// process has every capability towards the kernel; sockets of the families UNIX, INET, INET6 and NETLINK only (a
// virtual machine's VSOCK belongs to no network namespace and would be a second door), and no io_uring, which walks
// around such a filter. Inherited by the agent. Returns 0 or an errno value.
int restrict_system_calls();

// The agent has the same user as the helper: it shall not trace it, nor read its memory.
void forbid_tracing();

}  // namespace sanduk::box
