// The parts of resolving: each reads what it needs, says what is wrong, and fills its part of the plan.
#pragma once

#include <optional>

#include "catalog/catalog.h"
#include "config/setting.h"
#include "diagnostics/diagnostic.h"
#include "plan/facts.h"
#include "plan/plan.h"
#include "profile/profile.h"
#include "resolve/placeholders.h"

namespace sanduk {

struct Resolution {
  const Profile& profile;
  const Catalog& catalog;
  const Facts& facts;
  Diagnostics& problems;
  std::optional<AgentRecord> agent{};
  std::optional<ProviderRecord> provider{};
  Plan plan{};
  Values agent_values{};          // what the descriptor's placeholders stand for
  bool agent_uses_model = false;  // somewhere else than in words of its own

  // Where a setting stands; the profile's first line when nobody wrote it.
  Span place(const Origin& origin) const { return origin.span.known() ? origin.span : profile.where; }
  Diagnostic& fault(std::string code, std::string message, const Origin& origin) {
    return problems.add(error(std::move(code), std::move(message)).at(place(origin)));
  }
  // For a second label: where a setting was said, which is nowhere, and not shown, when nobody said it.
  static const Span& said_at(const Origin& origin) { return origin.span; }
};

// Whether what is sent to `host` stays on this machine.
bool is_loopback(const std::string& host);

// scheme://host[:port], https where no scheme stands; nothing, and why, when it is not that.
std::optional<Upstream> parse_upstream(const std::string& text, std::string& why);

// `text` with the provider itself for {relay}, where there is no relay.
std::string without_relay(const Resolution& r, const std::string& text);

// The parts of resolve_agent: what placeholders stand for; the environment; what the host's files are mounted as.
void resolve_values(Resolution& r, const std::string& protocol, const std::string& model);
void resolve_variables(Resolution& r);
std::vector<MountRequest> agent_mounts(Resolution& r);

// In this order: later ones use what earlier ones found.
void resolve_mode(Resolution& r);
void resolve_provider(Resolution& r);
void resolve_key(Resolution& r);
void resolve_routes(Resolution& r);
void resolve_hosts(Resolution& r);
void resolve_money(Resolution& r);
void resolve_workspace(Resolution& r);
void resolve_mounts(Resolution& r);
void resolve_log(Resolution& r);
void resolve_task(Resolution& r);
void resolve_agent(Resolution& r);
void resolve_image(Resolution& r);
void resolve_verify(Resolution& r);
void resolve_limits(Resolution& r);
void resolve_root(Resolution& r);
void resolve_engine(Resolution& r);
void resolve_files(Resolution& r);
void check_effects(Resolution& r);

}  // namespace sanduk
