// The first questions to a request, from its head alone: whose is it, and is it one that this run may make.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "plan/plan.h"
#include "relay/http_head.h"
#include "relay/refusal.h"

namespace sanduk {

// The run token, in the provider's own header or as a bearer token. A header given twice is refused.
std::optional<Refusal> check_token(const Headers& headers, const PlannedRelay& plan, const Secret& token);

// The model that a path names, as Google's do: ".../models/MODEL:action". Empty: none.
std::string_view model_in(std::string_view path);

// Method and exact path.
struct RouteAnswer {
  const Route* route = nullptr;
  std::optional<Refusal> refusal;
};
RouteAnswer find_route(const RequestHead& head, const std::vector<Route>& routes);

inline constexpr std::string_view box_report_path = "/.sanduk/box-report";

// Shut until the box's self-test has reported, and reported well.
class BoxGate {
 public:
  using Judge = std::function<std::vector<std::string>(std::string_view)>;
  explicit BoxGate(Judge judge) : judge_(std::move(judge)), state_(judge_ ? State::waiting : State::open) {}

  bool expects_report() const { return judge_ != nullptr; }
  std::optional<Refusal> check() const;

  // The first report counts. `*faults`: what it says is wrong with the box.
  std::optional<Refusal> take_report(std::string_view report, std::vector<std::string>* faults);

 private:
  enum class State { waiting, open, failed };
  Judge judge_;
  mutable std::mutex mutex_;
  State state_;
};

}  // namespace sanduk
