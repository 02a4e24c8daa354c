// Host names to addresses, without making a stop wait for a resolver.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "relay/socket.h"

namespace sanduk {

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  int family() const { return bytes.ss_family; }
  std::string text() const;  // the literal, without brackets and port
};

struct ResolvedHost {
  std::vector<SocketAddress> addresses;
  std::string why;  // when there are none
};

// An IPv4 or IPv6 literal, without brackets.
bool is_address(const std::string& host);

// Gives up at `deadline` or `stop`; the system's resolver then goes on in the background and its answer is dropped.
ResolvedHost resolve_host(const std::string& host, int port, Clock::time_point deadline, const StopEvent& stop);

}  // namespace sanduk
