// A tunnel to a host that the profile allows (CONNECT, RFC 9110 9.3.6): bytes both ways, none of which is looked at.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "base/world.h"
#include "plan/plan.h"
#include "relay/client_socket.h"
#include "relay/proxy.h"
#include "relay/refusal.h"

namespace sanduk {

struct TunnelTarget {
  std::string authority;       // "registry.example:443", as a client asks for it
  Upstream where;              // scheme "https"
  std::optional<Proxy> proxy;  // of this machine, on the way there
};

std::vector<TunnelTarget> tunnel_targets(const std::vector<AllowedHost>& hosts, const World& world);

// The run token in Proxy-Authorization: the password of Basic, whatever the user, or a bearer token.
std::optional<Refusal> check_proxy_token(const Headers& headers, const Secret& token);

// Why a connection to the address, an IPv4 or IPv6 literal, is not made; nothing where it is.
using AddressRule = std::function<std::optional<std::string>(const std::string& address)>;

// The rule of every run: no address that is nobody's on the internet. A public address of this machine is like any
// other.
std::optional<std::string> no_special_range(const std::string& address);

class Tunnel {
 public:
  Tunnel(const Limits& limits, const StopEvent& stop, ClientSocket& client)
      : limits_(limits), stop_(stop), client_(client) {}

  // Names are resolved here, on the host. Only addresses without an objection are tried, unless a proxy resolves.
  std::optional<Refusal> connect(const TunnelTarget& target, const AddressRule& objection);

  // Passes bytes until both sides have ended. False: it was cut, and why() says by whom.
  bool pass();

  std::int64_t sent() const { return up_.count; }
  std::int64_t received() const { return down_.count; }
  const std::string& why() const { return why_; }

 private:
  // One direction.
  struct Flow {
    std::string pending;  // read and not yet written
    bool ended = false;   // nothing more will be read
    bool closed = false;  // the other side was told
    std::int64_t count = 0;
  };
  bool move(Flow& flow, int from, int to);
  bool wait();

  const Limits& limits_;
  const StopEvent& stop_;
  ClientSocket& client_;
  FileDescriptor host_;
  Flow up_;
  Flow down_;
  std::string why_;
};

}  // namespace sanduk
