#include "relay/budget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "relay/money.h"

namespace sanduk {
namespace {

constexpr std::int64_t most_number = std::numeric_limits<std::int64_t>::max();

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) { return a > most_number - b ? most_number : a + b; }

std::string dollars(double amount) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "$%.4f", amount);
  return text.data();
}

}  // namespace

Budget::Reservation& Budget::Reservation::operator=(Reservation&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  budget_ = std::exchange(other.budget_, nullptr);
  held_ = other.held_;
  return *this;
}

void Budget::Reservation::settle(Spending taken) {
  if (budget_ != nullptr) std::exchange(budget_, nullptr)->end(held_, taken);
}

void Budget::Reservation::give_back() {
  if (budget_ != nullptr) std::exchange(budget_, nullptr)->end(held_, std::nullopt);
}

void Budget::end(const Spending& held, const std::optional<Spending>& taken) {
  const std::lock_guard lock(mutex_);
  --calls_in_flight_;
  reserved_.tokens -= held.tokens;
  if (std::isinf(held.usd)) {
    --unpriced_in_flight_;
  } else {
    reserved_.usd -= held.usd;
  }
  if (calls_in_flight_ == unpriced_in_flight_) reserved_.usd = 0;  // no rounding is left over
  if (taken) {
    ++calls_made_;
    spent_.tokens = saturated_sum(spent_.tokens, std::max<std::int64_t>(taken->tokens, 0));
    spent_.usd += std::max(taken->usd, 0.0);
  }
  changed_.notify_all();
}

std::optional<Refusal> Budget::spent() const {
  if (plan_.budget_calls && calls_made_ >= *plan_.budget_calls) {
    return over_budget("the run's budget of " + std::to_string(*plan_.budget_calls) + " model calls is spent");
  }
  if (plan_.budget_tokens && spent_.tokens >= *plan_.budget_tokens) {
    return over_budget("the run's budget of " + std::to_string(*plan_.budget_tokens) + " tokens is spent (" +
                       std::to_string(spent_.tokens) + " used)");
  }
  if (plan_.budget_usd && std::isinf(spent_.usd)) {
    return over_budget("the run's budget of " + dollars(*plan_.budget_usd) +
                       " cannot be kept any more: a call has ended without saying what it cost");
  }
  if (plan_.budget_usd && spent_.usd >= *plan_.budget_usd) {
    return over_budget("the run's budget of " + dollars(*plan_.budget_usd) + " is spent (" + dollars(spent_.usd) +
                       " used)");
  }
  return std::nullopt;
}

std::optional<Refusal> Budget::check() const {
  const std::lock_guard lock(mutex_);
  return spent();
}

std::optional<std::int64_t> Budget::rest(const std::string& model, std::int64_t in_tokens) const {
  std::optional<std::int64_t> most;
  const std::lock_guard lock(mutex_);
  if (plan_.budget_tokens) {
    most = std::max<std::int64_t>(*plan_.budget_tokens - std::min(spent_.tokens, *plan_.budget_tokens) - in_tokens, 1);
  }
  const Price* const price = plan_.budget_usd ? price_of(plan_.prices, model) : nullptr;
  if (price == nullptr) return most;
  const double in = static_cast<double>(in_tokens);
  const double one = most_cost(in, 1, *price) - most_cost(in, 0, *price);
  const double left = *plan_.budget_usd - spent_.usd - most_cost(in, 0, *price);
  if (one <= 0) return most;
  const double tokens = std::clamp(left / one, 1.0, 1e15);
  return std::min(most.value_or(most_number), static_cast<std::int64_t>(tokens));
}

bool Budget::fits(const Spending& more) const {
  if (plan_.budget_calls && calls_made_ + calls_in_flight_ >= *plan_.budget_calls) return false;
  const std::int64_t tokens = saturated_sum(saturated_sum(spent_.tokens, reserved_.tokens), more.tokens);
  if (plan_.budget_tokens && tokens > *plan_.budget_tokens) return false;
  if (!plan_.budget_usd) return true;
  return unpriced_in_flight_ == 0 && spent_.usd + reserved_.usd + more.usd <= *plan_.budget_usd;
}

Budget::Admission Budget::admit(Spending estimate, Clock::time_point deadline, const StopEvent& stop, int client) {
  // Reservations never sum up to more than the number range.
  estimate.tokens = std::min(estimate.tokens, most_number / 65536);
  std::unique_lock lock(mutex_);
  bool tight = false;
  for (;;) {
    if (std::optional<Refusal> refusal = spent()) return {std::move(refusal), false, false, {}};
    tight = !fits(estimate);
    if (!tight || calls_in_flight_ == 0) break;
    if (Clock::now() >= deadline) {
      return {over_budget("the rest of the run's budget is reserved by calls in flight"), false, false, {}};
    }
    changed_.wait_for(lock, std::chrono::milliseconds(50));
    if (stop.is_set() || peer_is_gone(client)) return {std::nullopt, true, false, {}};
  }
  ++calls_in_flight_;
  reserved_.tokens += estimate.tokens;
  if (std::isinf(estimate.usd)) {
    ++unpriced_in_flight_;
  } else {
    reserved_.usd += estimate.usd;
  }
  return {std::nullopt, false, tight, Reservation(this, estimate)};
}

}  // namespace sanduk
