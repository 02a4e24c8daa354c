#include "relay/gate.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace sanduk {
namespace {

// The credential behind "SCHEME ", one space, the scheme in any case.
std::optional<std::string_view> behind_scheme(std::string_view value, std::string_view scheme) {
  if (value.size() <= scheme.size() + 1 || value[scheme.size()] != ' ') return std::nullopt;
  if (!equal_ignoring_case(value.substr(0, scheme.size()), scheme)) return std::nullopt;
  return value.substr(scheme.size() + 1);
}

constexpr std::string_view any_model = "{model}";

bool is_model_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
  });
}

bool matches(std::string_view path, std::string_view pattern) {
  const std::size_t hole = pattern.find(any_model);
  if (hole == std::string_view::npos) return path == pattern;
  const std::string_view before = pattern.substr(0, hole);
  const std::string_view behind = pattern.substr(hole + any_model.size());
  if (path.size() <= before.size() + behind.size() || !path.starts_with(before) || !path.ends_with(behind))
    return false;
  return is_model_name(path.substr(hole, path.size() - before.size() - behind.size()));
}

}  // namespace

std::string_view model_in(std::string_view path) {
  constexpr std::string_view folder = "/models/";
  const std::size_t begin = path.find(folder);
  const std::size_t end = path.rfind(':');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + folder.size()) return {};
  return path.substr(begin + folder.size(), end - begin - folder.size());
}

std::optional<Refusal> check_token(const Headers& headers, const PlannedRelay& plan, const Secret& token) {
  bool given = false;
  bool good = false;
  const auto look = [&](std::string_view name, std::string_view scheme) {
    const std::optional<std::string_view> value = find_header(headers, name);
    if (!value) return;
    given = true;
    const std::optional<std::string_view> credential = scheme.empty() ? value : behind_scheme(*value, scheme);
    if (token.matches(credential.value_or(""))) good = true;
  };
  if (count_headers(headers, plan.auth_header) > 1 || count_headers(headers, "authorization") > 1) {
    return bad_request("two headers with a credential");
  }
  look(plan.auth_header, plan.auth_scheme);
  look("authorization", "Bearer");
  if (good) return std::nullopt;
  return no_token(given ? "the token is not this run's" : "no token; this run's token is expected as the API key");
}

RouteAnswer find_route(const RequestHead& head, const std::vector<Route>& routes) {
  const auto found =
      std::find_if(routes.begin(), routes.end(), [&](const Route& route) { return matches(head.path, route.path); });
  if (found == routes.end()) {
    return {nullptr, forbidden("the path " + printable(head.path) + " is not one that this run may call")};
  }
  const auto allows = [&](std::string_view method) {
    return std::find(found->methods.begin(), found->methods.end(), method) != found->methods.end();
  };
  if (allows(head.method) || (head.method == "HEAD" && allows("GET"))) return {&*found, std::nullopt};
  return {&*found, forbidden(printable(head.method) + " is not a method that this run may use on " + found->path)};
}

std::optional<Refusal> BoxGate::check() const {
  const std::lock_guard lock(mutex_);
  switch (state_) {
    case State::open:
      return std::nullopt;
    case State::waiting:
      return not_open("the box has not passed its self-test yet");
    case State::failed:
      return not_open("the box has not passed its self-test");
  }
  return std::nullopt;
}

std::optional<Refusal> BoxGate::take_report(std::string_view report, std::vector<std::string>* faults) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::waiting) return forbidden("the box has reported already");
  *faults = judge_(report);
  state_ = faults->empty() ? State::open : State::failed;
  if (faults->empty()) return std::nullopt;
  return forbidden("the box is not what the plan says: " + printable(join(*faults, "; ")));
}

}  // namespace sanduk
