// One connection to the provider, plain or TLS, non-blocking underneath: waits see the client leave and the relay stop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plan/plan.h"
#include "relay/limits.h"
#include "relay/socket.h"

namespace sanduk {

// What the waits of one call look at.
struct Watch {
  const StopEvent* stop = nullptr;
  int client = -1;
};

class UpstreamConnection {
 public:
  virtual ~UpstreamConnection() = default;

  enum class Io { done, again, end, broken };

  // Reads what is there: done with `*got` > 0; again: nothing yet; end: the peer has closed in order; broken: not.
  virtual Io read_some(char* data, std::size_t size, std::size_t* got) = 0;
  // Writes all pieces. `idle`: how long the peer may take nothing.
  virtual Ready write_all(const std::vector<std::string_view>& pieces, std::chrono::milliseconds idle,
                          const Watch& watch) = 0;
  // Bytes that are decrypted and wait in memory, which a poll of the socket does not see.
  virtual bool has_buffered() const = 0;
  // For a connection between two requests: it is open, and the peer has said nothing that nobody asked for.
  virtual bool is_quiet() = 0;

  int fd() const { return fd_; }

  bool reused = false;
  Clock::time_point idle_since;

 protected:
  int fd_ = -1;
};

struct ConnectFailure {
  Ready reason = Ready::timeout;  // stopped and peer_gone (the client) are no fault of the provider
  std::string why;
};

class TlsContext;
struct Proxy;

// A socket to the first address of `host` that answers. `objection`, where there is one: why an address, given as a
// literal, is not tried.
std::variant<FileDescriptor, ConnectFailure> connect_socket(
    const std::string& host, std::int64_t port,
    const std::function<std::optional<std::string>(const std::string& address)>& objection, const Limits& limits,
    Clock::time_point deadline, const Watch& watch);

// How to get to the provider. All of it outlives the connection.
struct Way {
  const Upstream& target;
  TlsContext* tls = nullptr;     // where the target's scheme is https
  const Proxy* proxy = nullptr;  // to ask for a tunnel; null: straight on
  bool carries_key = false;      // refuses to go on in plain text to anything but this machine
};

// Connects to the first address that answers, and goes on from there.
std::variant<std::unique_ptr<UpstreamConnection>, ConnectFailure> connect_upstream(const Way& way, const Limits& limits,
                                                                                   const Watch& watch);

}  // namespace sanduk
