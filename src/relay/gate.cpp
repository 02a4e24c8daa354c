#include "relay/gate.h"

#include <algorithm>

#include "base/text.h"

namespace sanduk {
namespace {

// The credential behind "SCHEME ", one space, the scheme in any case.
std::optional<std::string_view> behind_scheme(std::string_view value, std::string_view scheme) {
  if (value.size() <= scheme.size() + 1 || value[scheme.size()] != ' ') return std::nullopt;
  if (!equal_ignoring_case(value.substr(0, scheme.size()), scheme)) return std::nullopt;
  return value.substr(scheme.size() + 1);
}

}  // namespace

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
      std::find_if(routes.begin(), routes.end(), [&](const Route& route) { return route.path == head.path; });
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
