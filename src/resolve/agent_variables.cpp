// The agent's environment: its endpoint, its token, what keeps it quiet, what the profile adds.
#include <algorithm>

#include "base/text.h"
#include "diagnostics/mask.h"
#include "resolve/placeholders.h"
#include "resolve/resolution.h"

namespace sanduk {
namespace {

bool is_variable_name(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

// The place of the name in NAME = value, where the name is at fault.
Origin named(const MapItem& item) {
  Origin origin = item.origin;
  if (item.key_span.known()) origin.span = item.key_span;
  return origin;
}

// The profile's word, else the descriptor's, even where that says that there is none; else the provider's.
std::string variable_name(const Resolution& r, const Setting<std::string>& own, const Setting<std::string>& agents,
                          const std::string& providers) {
  if (own.is_set()) return *own;
  return agents.is_set() ? fill(*agents, r.agent_values) : providers;
}

// {token} must not stand in an argument: those are readable for everybody on the host.
void check_token_in_argv(Resolution& r) {
  for (const std::string& word : r.plan.agent.argv) {
    if (word == r.plan.task || word.find("{token}") == std::string::npos) continue;
    const Setting<TextList>& said_in =
        r.profile.agent.command.is_set() ? r.profile.agent.command : r.profile.agent.args;
    r.fault("token-in-argv", "the run token cannot stand in the agent's command line, which others can read",
            said_in.origin)
        .with_help("let the program read it from the variable " + r.plan.agent.token_variable);
    return;
  }
}

void add_profiles_variables(Resolution& r, const std::string& url_variable, const std::string& key_variable,
                            Values& variables) {
  for (const auto& [name, item] : *r.profile.agent.env) {
    if (!is_variable_name(name)) {
      r.fault("bad-value", "`agent.env`: `" + masked(name) + "` is not the name of a variable", named(item))
          .with_help("write letters, digits and underscores");
    } else if (name == url_variable || name == key_variable) {
      r.fault("reserved-variable", "`" + name + "` is how the agent reaches the relay", named(item))
          .with_help("leave it out; provider.upstream chooses another server, provider.key another key");
    } else if (is_credential_name(name) && !item.text.empty()) {
      Diagnostic problem =
          error("literal-key", "`agent.env." + name + "` looks like a credential, and the box must not hold one");
      Span place = r.place(item.origin);
      place.sensitive = true;
      place.length = std::max<std::size_t>(place.length, 1);
      r.problems.add(problem.at(place).with_help("keys stay on the host: provider.key = \"env:" + name + "\""));
    } else {
      variables[name] = without_relay(r, item.text);
    }
  }
}

// What programs need to find the tunnels: the variables that they have agreed on, in both spellings. The relay itself
// is reached without.
void add_proxy_variables(Resolution& r, Values& variables) {
  if (r.plan.relay.hosts.empty()) return;
  const std::string proxy = "http://sanduk:{token}@{relay_address}";
  for (const auto& [name, value] : {std::pair<std::string, std::string>{"HTTP_PROXY", proxy},
                                    {"http_proxy", proxy},
                                    {"HTTPS_PROXY", proxy},
                                    {"https_proxy", proxy},
                                    {"NO_PROXY", "127.0.0.1,localhost,::1"},
                                    {"no_proxy", "127.0.0.1,localhost,::1"}}) {
    const auto own = r.profile.agent.env->find(name);
    if (own == r.profile.agent.env->end()) {
      variables[name] = value;
      continue;
    }
    r.fault("reserved-variable", "`" + name + "` is how the agent reaches the hosts of `allow.hosts`",
            named(own->second))
        .at(r.said_at(r.profile.allow.hosts.origin), "the hosts are allowed here")
        .with_help("leave it out");
  }
}

}  // namespace

std::string without_relay(const Resolution& r, const std::string& text) {
  if (r.plan.mode != NetworkMode::open || !r.plan.relay.upstream) return text;
  const Upstream& upstream = *r.plan.relay.upstream;
  const std::string host = upstream.host.find(':') == std::string::npos ? upstream.host : "[" + upstream.host + "]";
  const bool usual = upstream.port == (upstream.scheme == "https" ? 443 : 80);
  return replace_all(text, "{relay}",
                     upstream.scheme + "://" + host + (usual ? "" : ":" + std::to_string(upstream.port)));
}

void resolve_values(Resolution& r, const std::string& protocol, const std::string& model) {
  const Profile::Agent& a = r.profile.agent;
  Values& values = r.agent_values;
  if (const auto words = r.agent->words.find(protocol); words != r.agent->words.end()) {
    for (const auto& [word, item] : *words->second) values[word] = item.text;
  }
  const std::string prefix = r.provider ? *r.provider->api_prefix : "";
  values["api_prefix"] = prefix;
  values["api_root"] = prefix.ends_with("/v1") ? prefix.substr(0, prefix.size() - 3) : prefix;
  // Words of a protocol may hold the endpoint's parts.
  for (auto& [name, value] : values) value = fill(value, {{"api_prefix", prefix}, {"api_root", values["api_root"]}});
  values["model"] = model;
  values["documents"] = std::string(box_documents);
  std::string key_variable =
      variable_name(r, a.key_variable, r.agent->key_variable, r.provider ? *r.provider->key_variable : "");
  values["key_variable"] = key_variable.empty() ? "ANTHROPIC_API_KEY" : key_variable;

  const std::string base_url = !r.agent->base_url->empty() ? *r.agent->base_url
                               : r.provider                ? *r.provider->base_url
                                                           : "{relay}";
  values["base_url"] =
      r.plan.mode == NetworkMode::open && a.base_url.is_set() ? *a.base_url : without_relay(r, fill(base_url, values));
}

void resolve_variables(Resolution& r) {
  const Profile::Agent& a = r.profile.agent;
  const std::string url_variable = variable_name(r, a.base_url_variable, r.agent->base_url_variable,
                                                 r.provider ? *r.provider->base_url_variable : "");
  const std::string key_variable = r.agent_values["key_variable"];
  for (const auto& [setting, name] : {std::pair{&a.base_url_variable, url_variable}, {&a.key_variable, key_variable}}) {
    if (setting->is_set() && !is_variable_name(name)) {
      r.fault("bad-value", "`" + masked(name) + "` is not the name of a variable", setting->origin)
          .with_help("write letters, digits and underscores");
    }
  }
  Values variables;
  for (const auto& [name, item] : *r.agent->variables) {
    variables[name] = without_relay(r, fill(item.text, r.agent_values));
  }
  add_profiles_variables(r, url_variable, key_variable, variables);
  add_proxy_variables(r, variables);
  variables[url_variable] = r.agent_values["base_url"];
  variables[key_variable] = "{token}";
  for (const auto& [name, value] : variables) {
    if (!name.empty()) r.plan.agent.variables.push_back({name, value});
  }
  r.plan.agent.token_variable = key_variable;
  check_token_in_argv(r);
}

}  // namespace sanduk
