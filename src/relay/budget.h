// What the run may still spend. A call reserves before it goes out and settles when it has ended, so that calls at the
// same time cannot each see the same rest.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "plan/plan.h"
#include "relay/refusal.h"
#include "relay/socket.h"

namespace sanduk {

// What a call takes. US dollars that nobody can tell before the call, or after it, are infinite.
struct Spending {
  std::int64_t tokens = 0;
  double usd = 0;
};

class Budget {
 public:
  // The calls, tokens and money of the plan. `plan` outlives the budget.
  explicit Budget(const PlannedRelay& plan) : plan_(plan) {}

  // What one call holds back. Given up without being settled, it counts as not made.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(Budget* budget, Spending held) : budget_(budget), held_(held) {}
    Reservation(Reservation&& other) noexcept : budget_(other.budget_), held_(other.held_) { other.budget_ = nullptr; }
    Reservation& operator=(Reservation&& other) noexcept;
    ~Reservation() { give_back(); }

    void settle(Spending taken);  // the call was made and took so much
    void give_back();             // it was not made, or the provider refused it
    const Spending& held() const { return held_; }

   private:
    Budget* budget_ = nullptr;
    Spending held_;
  };

  // Already spent, whatever is in flight?
  std::optional<Refusal> check() const;

  // The most tokens that a call on `model` with so many tokens of input may answer with before a budget is spent.
  // Nothing: no budget bounds it.
  std::optional<std::int64_t> rest(const std::string& model, std::int64_t in_tokens) const;

  struct Admission {
    std::optional<Refusal> refusal;
    bool gave_up = false;  // the client left or the relay stopped while the call waited
    bool tight = false;    // alone, and more than is left: its cap must be set by the rest as it is now
    Reservation reservation;
  };
  // Reserves one call. One that finds the rest reserved by others waits for them to settle; one alone goes as long as
  // anything is left, because what it will take is not known before.
  Admission admit(Spending estimate, Clock::time_point deadline, const StopEvent& stop, int client);

 private:
  friend class Reservation;
  std::optional<Refusal> spent() const;
  bool fits(const Spending& more) const;
  void end(const Spending& held, const std::optional<Spending>& taken);

  const PlannedRelay& plan_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t calls_made_ = 0;
  std::int64_t calls_in_flight_ = 0;
  std::int64_t unpriced_in_flight_ = 0;  // of those, the ones that hold infinite dollars
  Spending spent_;
  Spending reserved_;  // finite dollars only
};

}  // namespace sanduk
