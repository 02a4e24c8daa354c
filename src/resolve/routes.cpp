// Which endpoints may be called, for which models, how often.
#include <algorithm>

#include "base/text.h"
#include "diagnostics/mask.h"
#include "plan/plan_json.h"
#include "resolve/resolution.h"

namespace sanduk {
namespace {

// "METHOD PATH [PROTOCOL|judged]", as the provider's file says it.
std::optional<Route> parse_route(const std::string& text) {
  std::vector<std::string> words = split(text, ' ');
  words.erase(std::remove(words.begin(), words.end(), ""), words.end());
  if (words.size() < 2 || words.size() > 3 || !words[1].starts_with("/")) return std::nullopt;
  Route route;
  route.methods = {words[0]};
  route.path = words[1];
  if (words.size() == 3 && words[2] == "judged") {
    route.has_model = true;
  } else if (words.size() == 3) {
    const std::optional<Protocol> protocol = protocol_of(words[2]);
    if (!protocol) return std::nullopt;
    route.protocol = *protocol;
    route.has_model = route.protocol != Protocol::none;
  }
  return route;
}

constexpr std::string_view any_model = "{model}";

// A path that cannot be read in two ways: what the relay compares exactly. One part of it may be any model's name.
bool is_plain_path(std::string path) {
  const std::size_t hole = path.find(any_model);
  if (hole != std::string::npos) path.replace(hole, any_model.size(), "model");
  if (!path.starts_with("/") || path.find("//") != std::string::npos || path.find("..") != std::string::npos)
    return false;
  return std::all_of(path.begin(), path.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("/-._~:@!$&'()*+,=").find(c) != std::string_view::npos;
  });
}

// The path is the provider's, or one model's of it.
bool is_covered(const std::string& path, const std::string& known) {
  const std::size_t hole = known.find(any_model);
  if (path == known || hole == std::string::npos) return path == known;
  const std::string behind = known.substr(hole + any_model.size());
  return path.size() > hole + behind.size() && path.starts_with(known.substr(0, hole)) && path.ends_with(behind) &&
         path.substr(hole, path.size() - hole - behind.size()).find('/') == std::string::npos;
}

void apply_path_list(Resolution& r) {
  const Setting<TextList>& paths = r.profile.allow.paths;
  if (!paths.is_set()) return;
  std::vector<Route> chosen;
  for (const ListItem& item : *paths) {
    if (!is_plain_path(item.text)) {
      r.problems.add(error("bad-value", "`allow.paths`: `" + masked(item.text) + "` is not a plain path")
                         .at(item.span)
                         .with_help("write the path as it is sent, such as \"/v1/messages\": no query, no %, no .."));
      continue;
    }
    bool known = false;
    for (const Route& route : r.plan.relay.routes) {
      if (!is_covered(item.text, route.path)) continue;
      chosen.push_back(route);
      chosen.back().path = item.text;
      known = true;
    }
    if (known) continue;
    std::vector<std::string> paths_known;
    for (const Route& route : r.plan.relay.routes) paths_known.push_back(route.path);
    r.problems.add(warning("unknown-path", "`" + item.text + "` is not an endpoint that the provider `" +
                                               *r.profile.provider.name + "` lists")
                       .at(item.span)
                       .note("it will be relayed without a check of its model and without a count of its tokens")
                       .with_help("endpoints of this provider: " + join(paths_known, ", ")));
    chosen.push_back({{"GET", "POST"}, item.text, Protocol::none, false});
  }
  r.plan.relay.routes = std::move(chosen);
}

void check_models(Resolution& r) {
  const Setting<TextList>& models = r.profile.allow.models;
  if (!models.is_set()) return;
  for (const ListItem& item : *models) {
    if (item.text.empty()) {
      r.problems.add(error("bad-value", "`allow.models` holds an empty name")
                         .at(item.span)
                         .with_help("name a model, or take the entry out"));
    }
  }
  r.plan.relay.models = texts(*models);
  const Setting<std::string>& model = r.profile.agent.model;
  const std::vector<std::string> allowed = texts(*models);
  if (!model.is_set() || std::find(allowed.begin(), allowed.end(), *model) != allowed.end()) return;
  r.fault("model-not-allowed", "`agent.model` asks for `" + masked(*model) + "`, which `allow.models` does not hold",
          model.origin)
      .at(r.said_at(models.origin), "the list is here")
      .with_help("add the model to the list, or ask for one of the list");
}

void take_count(Resolution& r, const std::string& path, const Setting<std::int64_t>& setting,
                std::optional<std::int64_t>& into) {
  if (!setting.is_set()) return;
  if (*setting < 1) {
    r.fault("bad-value", "`" + path + "` must be at least 1", setting.origin).with_help("leave it out for no limit");
    return;
  }
  into = *setting;
}

}  // namespace

void resolve_routes(Resolution& r) {
  if (!r.provider) return;
  for (const ListItem& item : *r.provider->routes) {
    const std::optional<Route> route = parse_route(item.text);
    if (route && is_plain_path(route->path)) {
      r.plan.relay.routes.push_back(*route);
    } else {
      r.problems.add(error("bad-value", "`routes`: `" + item.text + "` is not a route")
                         .at(item.span)
                         .with_help("write \"METHOD /path\" and, behind it, a protocol or `judged`"));
    }
  }
  apply_path_list(r);
  check_models(r);
  take_count(r, "caps.max_tokens", r.profile.caps.max_tokens, r.plan.relay.max_tokens);
  take_count(r, "caps.tokens", r.profile.caps.tokens, r.plan.relay.budget_tokens);
  take_count(r, "caps.calls", r.profile.caps.calls, r.plan.relay.budget_calls);
  r.plan.relay.server_tools = *r.profile.allow.server_tools;
}

}  // namespace sanduk
