// The only door of the box: takes a run token, judges every call, puts in the real key, streams the answer back.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "plan/plan.h"
#include "relay/call.h"
#include "relay/limits.h"
#include "relay/proxy.h"
#include "relay/tunnel.h"

namespace sanduk {

struct RelaySettings {
  PlannedRelay plan;
  PlannedLog log;                     // `directory` filled in and existing where bodies are logged
  Secret key;                         // empty: no credential is sent
  Secret token;                       // what a client must present
  std::optional<Proxy> proxy;         // see proxy_for()
  std::vector<TunnelTarget> tunnels;  // where CONNECT may go; see tunnel_targets()
  AddressRule tunnel_objection = no_special_range;

  // Judges the self-test report (JSON text) that the box sends to POST /.sanduk/box-report; returns the faults in
  // words, none when the box is what the plan says. While set and not yet answered well, every other call is refused
  // (503). The first report counts; a second one is refused. Unset: the gate is open (relay alone).
  std::function<std::vector<std::string>(std::string_view report)> judge_box;

  // Called from the relay's threads, one call at a time.
  std::function<void(const CallRecord&)> on_call;
  // The run should end: a budget is spent, the cassette has no answer, the box is not what it should be, the provider
  // refuses the key. `code` is a diagnostic code word, `why` says it in words.
  // Called from the relay's threads: must not call stop() itself.
  std::function<void(const std::string& code, const std::string& why)> on_stop;

  Limits limits;
};

class Relay {
 public:
  explicit Relay(RelaySettings settings);
  ~Relay();  // stops
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // Binds and serves. Throws RunError (Failure::host) when it cannot, e.g. the socket path is too long or taken.
  void listen_unix(const std::string& socket_path);    // the socket is created 0666 inside a directory of the caller's
  void listen_tcp(const std::string& host, int port);  // port 0: any; see url()

  std::string url() const;  // "http://127.0.0.1:PORT" or "unix:PATH"

  // Opens one upstream connection ahead of the first call, in the background.
  void prewarm();

  // Stops accepting, lets answers in flight go on for at most `grace` seconds, then closes all. Idempotent.
  void stop(double grace_seconds = 0);

  RelayTally tally() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sanduk
