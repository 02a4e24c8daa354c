// Brings the self-test report to the relay and hears its verdict.
#pragma once

#include <netinet/in.h>

#include "box/text.h"

namespace sanduk::box {

// POSTs `report` through the unix socket with the run token. True on a 200; else `words` holds what the relay answered,
// or why it could not be asked.
bool deliver_report(const char* socket_path, const char* token, const Text& report, Text& words);

// A connected, close-on-exec stream to the relay: the unix socket at a path, or, where the box has a network of its
// own, "ADDRESS:PORT" (IPv4); -1 and errno on failure. With `flags` SOCK_NONBLOCK a full backlog of a unix socket gives
// EAGAIN, and a connection by address may still be under way.
int connect_relay(const char* where, int flags);

// The address in "ADDRESS:PORT"; false for a path.
bool relay_address(const char* where, sockaddr_in& address);

}  // namespace sanduk::box
