// Brings the self-test report to the relay and hears its verdict.
#pragma once

#include "box/text.h"

namespace sanduk::box {

// POSTs `report` through the unix socket with the run token. True on a 200; else `words` holds what the relay answered,
// or why it could not be asked.
bool deliver_report(const char* socket_path, const char* token, const Text& report, Text& words);

// A connected, close-on-exec stream to the unix socket at `path`; -1 and errno on failure. With `flags` SOCK_NONBLOCK
// a full backlog gives EAGAIN.
int connect_unix(const char* path, int flags);

}  // namespace sanduk::box
