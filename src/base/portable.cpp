#include "base/portable.h"

#include <fcntl.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace sanduk {

#ifdef __linux__

bool make_pipe(std::array<int, 2>& ends, bool nonblocking) {
  return pipe2(ends.data(), O_CLOEXEC | (nonblocking ? O_NONBLOCK : 0)) == 0;
}

int make_socket(int family) { return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int accept_socket(int listener) { return accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }

timespec modified_time(const struct stat& status) { return status.st_mtim; }
timespec changed_time(const struct stat& status) { return status.st_ctim; }

void name_process(const char* name) { prctl(PR_SET_NAME, name); }

#else

namespace {

int prepared(int fd, bool nonblocking) {
  if (fd < 0) return fd;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (nonblocking) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

}  // namespace

bool make_pipe(std::array<int, 2>& ends, bool nonblocking) {
  if (pipe(ends.data()) != 0) return false;
  for (const int end : ends) prepared(end, nonblocking);
  return true;
}

int make_socket(int family) { return prepared(socket(family, SOCK_STREAM, 0), true); }

int accept_socket(int listener) { return prepared(accept(listener, nullptr, nullptr), true); }

timespec modified_time(const struct stat& status) { return status.st_mtimespec; }
timespec changed_time(const struct stat& status) { return status.st_ctimespec; }

void name_process(const char*) {}

#endif

}  // namespace sanduk
