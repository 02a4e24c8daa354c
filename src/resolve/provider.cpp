// Who answers: the upstream, its authentication, the key's source.
#include <algorithm>

#include "base/text.h"
#include "diagnostics/mask.h"
#include "resolve/paths.h"
#include "resolve/resolution.h"

namespace sanduk {

bool is_loopback(const std::string& host) {
  if (host == "localhost" || host == "::1") return true;
  const std::vector<std::string> parts = split(host, '.');
  return parts.size() == 4 && parts[0] == "127" && std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
           const std::optional<std::int64_t> number = parse_decimal(part);
           return number && *number <= 255 && part.size() <= 3;
         });
}

namespace {

bool is_host_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
}

}  // namespace

std::optional<Upstream> parse_upstream(const std::string& text, std::string& why) {
  Upstream result;
  std::string rest = text;
  const std::size_t scheme_end = text.find("://");
  result.scheme = scheme_end == std::string::npos ? "https" : lower(text.substr(0, scheme_end));
  if (scheme_end != std::string::npos) rest = text.substr(scheme_end + 3);
  if (result.scheme != "https" && result.scheme != "http") {
    why = "the scheme is https or http";
    return std::nullopt;
  }
  if (rest.find('@') != std::string::npos) {
    why = "it holds a user or password; the key comes from provider.key";
    return std::nullopt;
  }
  if (rest.find_first_of("/?#") != std::string::npos) {
    why = "it has a path; paths come from the provider's routes";
    return std::nullopt;
  }
  std::string port;
  if (rest.starts_with("[")) {
    const std::size_t end = rest.find(']');
    if (end == std::string::npos) {
      why = "an IPv6 address stands in brackets";
      return std::nullopt;
    }
    result.host = rest.substr(1, end - 1);
    const std::string behind = rest.substr(end + 1);
    if (result.host.find_first_not_of("0123456789abcdefABCDEF:.") != std::string::npos ||
        result.host.find(':') == std::string::npos || (!behind.empty() && !behind.starts_with(":"))) {
      why = "it is not an IPv6 address in brackets";
      return std::nullopt;
    }
    if (!behind.empty()) port = behind.substr(1).empty() ? "?" : behind.substr(1);
  } else {
    const std::size_t colon = rest.find(':');
    result.host = lower(rest.substr(0, colon));
    if (colon != std::string::npos) port = rest.substr(colon + 1).empty() ? "?" : rest.substr(colon + 1);
    if (result.host.empty() || result.host.size() > 253 || result.host.starts_with('.') ||
        result.host.starts_with('-') || !std::all_of(result.host.begin(), result.host.end(), is_host_character)) {
      why = "the host is not a name or an address (an IPv6 address stands in brackets)";
      return std::nullopt;
    }
  }
  result.port = result.scheme == "https" ? 443 : 80;
  if (!port.empty()) {
    const std::optional<std::int64_t> number = parse_decimal(port);
    if (!number || *number < 1 || *number > 65535) {
      why = "the port is not a number from 1 to 65535";
      return std::nullopt;
    }
    result.port = *number;
  }
  return result;
}

namespace {

void resolve_cassette(Resolution& r) {
  const Profile::Provider& p = r.profile.provider;
  if (!p.cassette.is_set()) {
    r.fault("missing-key", "the provider `" + *p.name + "` needs `provider.cassette`, a file of recorded answers",
            p.name.origin)
        .with_help("name one: cassette = \"answers.jsonl\"; `--record FILE` writes one from a real run");
    return;
  }
  const std::filesystem::path path = absolute_path(p.cassette->text, p.cassette.origin, r.profile, r.facts.home);
  const PathFact& fact = fact_of(r.facts, path);
  if (fact.kind != PathFact::Kind::file || !fact.readable) {
    r.fault("unreadable-file", "cannot read the cassette `" + p.cassette->text + "`", p.cassette.origin)
        .with_help("the path is relative to the file that says it: " + path.string());
    return;
  }
  r.plan.relay.cassette = fact.resolved;
  for (const auto& [name, origin] : {std::pair{"provider.upstream", &p.upstream.origin},
                                     {"provider.key", &p.key.origin},
                                     {"provider.insecure_upstream", &p.insecure_upstream.origin}}) {
    if (origin->layer == Layer::default_value) continue;
    r.fault("no-effect",
            "`" + std::string(name) + "` has no effect: the provider `" + *p.name + "` answers from a file", *origin)
        .at(r.said_at(p.name.origin), "the provider is set here")
        .with_help("leave it out");
  }
}

}  // namespace

void resolve_provider(Resolution& r) {
  if (!r.provider) return;
  const Profile::Provider& p = r.profile.provider;
  r.plan.relay.provider = *p.name;
  r.plan.relay.auth_header = lower(*r.provider->auth_header);
  r.plan.relay.auth_scheme = *r.provider->auth_scheme;
  r.plan.relay.ask_for_usage = *r.provider->ask_for_usage;
  if (r.provider->upstream->empty()) return resolve_cassette(r);

  if (p.cassette.is_set()) {
    r.fault("no-effect", "`provider.cassette` has no effect: the provider is `" + *p.name + "`", p.cassette.origin)
        .at(r.said_at(p.name.origin), "the provider is set here")
        .with_help("use provider.name = \"replay\", or leave the cassette out");
  }
  const bool own = p.upstream.is_set();
  std::string why;
  const std::optional<Upstream> upstream = parse_upstream(own ? *p.upstream : *r.provider->upstream, why);
  if (!upstream) {
    r.fault("bad-value", "`provider.upstream`: " + why, p.upstream.origin)
        .with_help("write scheme://host:port, such as http://127.0.0.1:8080");
    return;
  }
  if (upstream->scheme == "http" && !is_loopback(upstream->host) && !*p.insecure_upstream) {
    r.fault("plaintext-upstream", "the key would travel in plaintext to `" + upstream->host + "`", p.upstream.origin)
        .with_help("use https, or set provider.insecure_upstream = true if you accept that");
  }
  r.plan.relay.upstream = upstream;
  r.plan.relay.insecure_upstream = *p.insecure_upstream;
  if (*p.insecure_upstream && !r.profile.agent.base_url.is_set() &&
      (upstream->scheme == "https" || is_loopback(upstream->host))) {
    r.fault("no-effect", "`provider.insecure_upstream` has no effect: the key does not leave this machine in plaintext",
            p.insecure_upstream.origin)
        .at(r.place(p.upstream.is_set() ? p.upstream.origin : p.name.origin), "the upstream is chosen here")
        .with_help("leave it out");
  }
  if (p.key_check.is_set() && *p.key_check && r.provider->check_path->empty()) {
    r.fault("no-effect",
            "`provider.key_check` has no effect: the provider `" + *p.name +
                "` has no page that tells a good key from a bad one",
            p.key_check.origin)
        .at(r.said_at(p.name.origin), "the provider is set here")
        .with_help("leave it out");
  }
  if (*p.key_check && !r.provider->check_path->empty()) {
    KeyCheck check{*r.provider->check_path, {}};
    for (const auto& [name, header] : *r.provider->check_headers) check.headers.push_back({name, header.text});
    r.plan.relay.key_check = std::move(check);
  }
}

void resolve_key(Resolution& r) {
  if (!r.provider || r.provider->upstream->empty()) {
    r.plan.relay.key_source = "none";
    return;
  }
  const Setting<std::string>& key = r.profile.provider.key;
  const std::string help = "write env:NAME, file:PATH, command:ARGV or none; the key itself never stands in a profile";
  if (!key.is_set()) {
    r.plan.relay.key_source = r.provider->key_variable->empty() ? "none" : "env:" + *r.provider->key_variable;
    r.plan.relay.key_optional = *r.provider->key_optional;
    return;
  }
  const std::size_t colon = key->find(':');
  const std::string kind = key->substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : key->substr(colon + 1);
  if (*key == "none" || (kind == "command" && !trim(rest).empty())) {
    r.plan.relay.key_source = *key;
  } else if (kind == "env" && !rest.empty() && rest.find_first_of("= \t") == std::string::npos &&
             !is_literal_key(rest)) {
    r.plan.relay.key_source = *key;
  } else if (kind == "file" && !rest.empty()) {
    r.plan.relay.key_source = "file:" + absolute_path(rest, key.origin, r.profile, r.facts.home).string();
  } else {
    Origin hidden = key.origin;
    Diagnostic problem = error(colon == std::string::npos || looks_like_key(*key) ? "literal-key" : "bad-value",
                               "`provider.key` says where the key is; this is not a source");
    Span place = r.place(hidden);
    if (place.known()) {
      // Whatever stands there may be a key: mask all that follows the setting's name on the line.
      place.sensitive = true;
      place.length = 1000;
    }
    r.problems.add(problem.at(place).with_help(help));
  }
}

}  // namespace sanduk
