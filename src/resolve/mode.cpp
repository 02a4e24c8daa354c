// The network's mode, and settings that would have no effect in it.
#include <algorithm>

#include "config/convert.h"
#include "plan/plan_json.h"
#include "resolve/resolution.h"

namespace sanduk {
namespace {

void check_effect(Resolution& r, const std::string& path, const Origin& origin, const std::string& why) {
  if (origin.layer == Layer::default_value) return;
  Diagnostic& problem = r.fault("no-effect", "`" + path + "` has no effect: " + why, origin);
  const Origin& mode = r.profile.network.mode.origin;
  if (mode.span.known()) problem.at(mode.span, "the mode is set here");
  problem.with_help("leave it out, or use the mode \"sealed\", which enforces it");
}

// The engine that cannot let a box connect to a mounted socket; none: all can.
const PlannedEngine* without_sockets(const Plan& plan) {
  const auto found = std::find_if(plan.engines.begin(), plan.engines.end(),
                                  [](const PlannedEngine& engine) { return !engine.mounts_sockets; });
  return found == plan.engines.end() ? nullptr : &*found;
}

// `auto` is the socket: a box without any network. The gateway is for engines that cannot mount one.
void resolve_transport(Resolution& r) {
  const Profile::Network& network = r.profile.network;
  const PlannedEngine* deaf = without_sockets(r.plan);
  const bool gateway = *network.transport == "gateway" || (*network.transport == "auto" && deaf != nullptr);
  r.plan.transport = r.plan.mode == NetworkMode::open ? Transport::none
                     : gateway                        ? Transport::gateway
                                                      : Transport::socket;
  if (r.plan.transport == Transport::socket && deaf != nullptr) {
    r.fault("unsupported-setting", "the transport `socket` does not work with the engine `" + deaf->name + "`",
            network.transport.origin)
        .note("its boxes cannot connect to a mounted socket of this host")
        .with_help("leave network.transport out, or write \"gateway\"");
  }
  r.plan.strict_network = *network.strict;
  if (r.plan.mode == NetworkMode::open) {
    check_effect(r, "network.transport", network.transport.origin, "in mode \"open\" there is no relay to reach");
  }
  if (*network.strict && r.plan.transport != Transport::gateway) {
    r.fault("no-effect",
            "`network.strict` has no effect: with the transport \"socket\" no port of this host is in reach",
            network.strict.origin)
        .with_help("leave it out, or use network.transport = \"gateway\"");
  }
}

}  // namespace

void resolve_mode(Resolution& r) {
  const Profile& p = r.profile;
  r.plan.mode = *p.network.mode == "open"       ? NetworkMode::open
                : *p.network.mode == "key-safe" ? NetworkMode::key_safe
                                                : NetworkMode::sealed;
  resolve_transport(r);
  if (r.plan.mode == NetworkMode::key_safe) {
    check_effect(r, "allow.hosts", p.allow.hosts.origin, "in mode \"key-safe\" the box reaches every host");
  }
  if (r.plan.mode != NetworkMode::open) return;
  const std::string why = "in mode \"open\" calls do not pass the relay";
  check_effect(r, "allow.models", p.allow.models.origin, why);
  check_effect(r, "allow.paths", p.allow.paths.origin, why);
  check_effect(r, "allow.hosts", p.allow.hosts.origin, why);
  check_effect(r, "caps.max_tokens", p.caps.max_tokens.origin, why);
  check_effect(r, "caps.tokens", p.caps.tokens.origin, why);
  check_effect(r, "caps.calls", p.caps.calls.origin, why);
  check_effect(r, "caps.usd", p.caps.usd.origin, why);
  check_effect(r, "log.responses", p.log.responses.origin, why);
  check_effect(r, "log.format", p.log.format.origin, why);
  check_effect(r, "log.max_size", p.log.max_size.origin, why);
  check_effect(r, "allow.server_tools", p.allow.server_tools.origin, why);
  check_effect(r, "log.bodies", p.log.bodies.origin, why);
  check_effect(r, "log.dir", p.log.dir.origin, why);
  check_effect(r, "log.record", p.log.record.origin, why);
  if (*p.provider.name == "replay") {
    r.fault("no-effect", "recorded answers need the relay, which the mode \"open\" does not have",
            p.provider.name.origin)
        .at(r.said_at(p.network.mode.origin), "the mode is set here")
        .with_help("use the mode \"sealed\"");
  }
}

}  // namespace sanduk
