// Calls that Linux has in one and macOS in several: whatever is on this side alone stays in here, in the helper, and in
// the few files that tests/lint/check_portable.py names.
#pragma once

#include <sys/socket.h>
#include <sys/stat.h>

#include <array>

namespace sanduk {

// A pipe that no other program inherits. False, with errno, where there is none.
bool make_pipe(std::array<int, 2>& ends, bool nonblocking = false);

// A stream socket that no other program inherits and that does not block; -1, with errno.
int make_socket(int family);
int accept_socket(int listener);

// A peer that is gone is an error of `send`, not a signal. Where the flag is missing, the process ignores the signal.
#ifdef MSG_NOSIGNAL
inline constexpr int without_signal = MSG_NOSIGNAL;
#else
inline constexpr int without_signal = 0;
#endif

timespec modified_time(const struct stat& status);
timespec changed_time(const struct stat& status);  // of the inode

// What lists of processes show for this one, where the system has such a name.
void name_process(const char* name);

}  // namespace sanduk
