#include "box/harden.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace sanduk::box {
namespace {

constexpr unsigned refuse(unsigned code) { return SECCOMP_RET_ERRNO | (code & SECCOMP_RET_DATA); }

// The system calls of the machine, and of the 32-bit programs that its kernel may run as well.
#if defined(__x86_64__)
constexpr unsigned machine = AUDIT_ARCH_X86_64;
constexpr unsigned other_machine = AUDIT_ARCH_I386;
constexpr unsigned other_socket = 359;
constexpr unsigned other_socketcall = 102;
constexpr unsigned other_clone = 120;
constexpr unsigned other_unshare = 310;
constexpr unsigned other_setns = 346;
constexpr unsigned foreign_calls = 0x40000000;  // the x32 numbers
#elif defined(__aarch64__)
constexpr unsigned machine = AUDIT_ARCH_AARCH64;
constexpr unsigned other_machine = AUDIT_ARCH_ARM;
constexpr unsigned other_socket = 281;
constexpr unsigned other_socketcall = 102;
constexpr unsigned other_clone = 120;
constexpr unsigned other_unshare = 337;
constexpr unsigned other_setns = 375;
constexpr unsigned foreign_calls = 0x40000000;
#else
#error "the helper's system call filter does not know this machine"
#endif
constexpr unsigned io_uring_setup_call = 425;  // the same numbers everywhere
constexpr unsigned clone3_call = 435;
// All namespaces but that of time, whose bit `clone` uses for a signal.
constexpr unsigned new_namespace = 0x7e020000;

}  // namespace

Found find_restrictions() { return {prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1, prctl(PR_GET_SECCOMP, 0, 0, 0, 0)}; }

void close_inherited() {
  if (close_range(3, ~0U, 0) == 0) return;
  for (int fd = 3; fd < 1024; ++fd) close(fd);
}

void limit_resources(int processes, int file_gigabytes) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const rlimit most{static_cast<rlim_t>(processes), static_cast<rlim_t>(processes)};
  if (processes > 0) setrlimit(RLIMIT_NPROC, &most);
  const rlim_t bytes = static_cast<rlim_t>(file_gigabytes) << 30;
  const rlimit largest{bytes, bytes};
  if (file_gigabytes > 0) setrlimit(RLIMIT_FSIZE, &largest);
}

int restrict_system_calls() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  constexpr unsigned number = offsetof(seccomp_data, nr);
  constexpr unsigned architecture = offsetof(seccomp_data, arch);
  constexpr unsigned first_argument = offsetof(seccomp_data, args);  // its low half: both machines are little-endian
  sock_filter program[] = {
      /*  0 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, architecture),
      /*  1 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, machine, 2, 0),
      /*  2 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other_machine, 10, 0),
      /*  3 */ BPF_STMT(BPF_RET | BPF_K, refuse(ENOSYS)),
      // The machine's own calls.
      /*  4 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
      /*  5 */ BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, foreign_calls, 24, 0),
      /*  6 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, io_uring_setup_call, 23, 0),
      /*  7 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, clone3_call, 22, 0),
      /*  8 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 12, 0),
      /*  9 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 17, 0),
      /* 10 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 16, 0),
      /* 11 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setns, 19, 0),
      /* 12 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      // Those of 32-bit programs.
      /* 13 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
      /* 14 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other_socketcall, 15, 0),
      /* 15 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, io_uring_setup_call, 14, 0),
      /* 16 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, clone3_call, 13, 0),
      /* 17 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other_clone, 9, 0),
      /* 18 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other_unshare, 8, 0),
      /* 19 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other_setns, 11, 0),
      /* 20 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other_socket, 0, 8),
      // A socket, by its family.
      /* 21 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, first_argument),
      /* 22 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 6, 0),
      /* 23 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 5, 0),
      /* 24 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 4, 0),
      /* 25 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 3, 0),
      /* 26 */ BPF_STMT(BPF_RET | BPF_K, refuse(EAFNOSUPPORT)),
      // A process or a new part of one, by its namespaces.
      /* 27 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, first_argument),
      /* 28 */ BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, new_namespace, 2, 0),
      /* 29 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      /* 30 */ BPF_STMT(BPF_RET | BPF_K, refuse(ENOSYS)),
      /* 31 */ BPF_STMT(BPF_RET | BPF_K, refuse(EPERM)),
  };
  const sock_fprog filter = {sizeof program / sizeof program[0], program};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0 ? 0 : errno;
}

void forbid_tracing() { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

}  // namespace sanduk::box
