// The hosts besides the provider that a sealed box may have a tunnel to, and how the box learns of it.
#include "base/address.h"
#include "diagnostics/mask.h"
#include "resolve/resolution.h"

namespace sanduk {
namespace {

std::optional<AllowedHost> parse_host(const std::string& text, std::string& why) {
  const std::size_t colon = text.rfind(':');
  if (text.find("://") != std::string::npos || text.find('*') != std::string::npos || colon == std::string::npos ||
      (text.ends_with("]"))) {
    why = "is not HOST:PORT";
    return std::nullopt;
  }
  std::string fault;
  const std::optional<Upstream> host = parse_upstream("https://" + text, fault);
  if (!host) {
    why = "is not HOST:PORT";
    return std::nullopt;
  }
  if (const std::optional<std::string> range = special_range(host->host)) {
    why = "is " + *range + ", and a tunnel leads to the internet only";
    return std::nullopt;
  }
  return AllowedHost{host->host, host->port};
}

}  // namespace

void resolve_hosts(Resolution& r) {
  if (r.plan.mode != NetworkMode::sealed) return;
  for (const ListItem& item : *r.profile.allow.hosts) {
    std::string why;
    const std::optional<AllowedHost> host = parse_host(item.text, why);
    if (host) {
      r.plan.relay.hosts.push_back(*host);
    } else {
      Span place = item.span;
      place.sensitive = item.text.find('@') != std::string::npos;
      const std::string shown = place.sensitive ? "…" : masked(item.text);
      r.problems.add(error("bad-value", "`allow.hosts`: `" + shown + "` " + why)
                         .at(place)
                         .with_help("write an exact name and a port, such as \"packages.example:443\""));
    }
  }
}

}  // namespace sanduk
