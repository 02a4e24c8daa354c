// The way out of a network that has one door: HTTPS_PROXY and NO_PROXY, and the tunnel through it.
#pragma once

#include <optional>
#include <string>

#include "base/secret.h"
#include "base/world.h"
#include "plan/plan.h"
#include "relay/limits.h"
#include "relay/upstream_connection.h"

namespace sanduk {

struct Proxy {
  std::string host;  // IPv6 without brackets
  std::int64_t port = 0;
  Secret authorization;  // the value of Proxy-Authorization; empty: none

  Proxy copy() const { return {host, port, authorization.copy()}; }
};

// The proxy for `target`: https_proxy, else HTTPS_PROXY, unless no_proxy or NO_PROXY excepts the host ("*", a name that
// also stands for all below it, or an address). Nothing for plain HTTP and for this machine. Throws RunError for a
// proxy that cannot be used: only "http://[USER:PASSWORD@]HOST[:PORT]" can.
std::optional<Proxy> proxy_for(const Upstream& target, const World& world);

// Asks the proxy at the other end of `fd` to pass everything on to `target`. Nothing: it does.
std::optional<ConnectFailure> open_tunnel(int fd, const Proxy& proxy, const Upstream& target,
                                          Clock::time_point deadline, const Watch& watch);

}  // namespace sanduk
