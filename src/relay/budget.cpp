#include "relay/budget.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace sanduk {
namespace {

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return a > most - b ? most : a + b;
}

}  // namespace

Budget::Reservation& Budget::Reservation::operator=(Reservation&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  budget_ = std::exchange(other.budget_, nullptr);
  tokens_ = other.tokens_;
  return *this;
}

void Budget::Reservation::settle(std::int64_t tokens) {
  if (budget_ != nullptr) std::exchange(budget_, nullptr)->end(tokens_, tokens);
}

void Budget::Reservation::give_back() {
  if (budget_ != nullptr) std::exchange(budget_, nullptr)->end(tokens_, std::nullopt);
}

void Budget::end(std::int64_t reserved, std::optional<std::int64_t> taken) {
  const std::lock_guard lock(mutex_);
  --calls_in_flight_;
  tokens_reserved_ -= reserved;
  if (taken) {
    ++calls_made_;
    tokens_spent_ = saturated_sum(tokens_spent_, std::max<std::int64_t>(*taken, 0));
  }
  changed_.notify_all();
}

std::optional<Refusal> Budget::spent() const {
  if (calls_ && calls_made_ + calls_in_flight_ >= *calls_) {
    return over_budget("the run's budget of " + std::to_string(*calls_) + " model calls is spent");
  }
  if (tokens_ && tokens_spent_ >= *tokens_) {
    return over_budget("the run's budget of " + std::to_string(*tokens_) + " tokens is spent (" +
                       std::to_string(tokens_spent_) + " used)");
  }
  return std::nullopt;
}

std::optional<Refusal> Budget::check() const {
  const std::lock_guard lock(mutex_);
  return spent();
}

Budget::Admission Budget::admit(std::int64_t estimate, Clock::time_point deadline, const StopEvent& stop, int client) {
  // Reservations never sum up to more than the number range.
  const std::int64_t reserve = std::min<std::int64_t>(estimate, std::numeric_limits<std::int64_t>::max() / 65536);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (std::optional<Refusal> refusal = spent()) return {std::move(refusal), false, {}};
    const bool alone = calls_in_flight_ == 0;
    const bool fits = !tokens_ || saturated_sum(saturated_sum(tokens_spent_, tokens_reserved_), reserve) <= *tokens_;
    if (alone || fits) break;
    if (Clock::now() >= deadline) {
      return {over_budget("the rest of the run's budget of " + std::to_string(*tokens_) +
                          " tokens is reserved by calls in flight"),
              false,
              {}};
    }
    changed_.wait_for(lock, std::chrono::milliseconds(50));
    if (stop.is_set() || peer_is_gone(client)) return {std::nullopt, true, {}};
  }
  ++calls_in_flight_;
  tokens_reserved_ += reserve;
  return {std::nullopt, false, Reservation(this, reserve)};
}

}  // namespace sanduk
