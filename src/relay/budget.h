// What the run may still spend. A call reserves before it goes out and settles when it has ended, so that calls at the
// same time cannot each see the same rest.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "plan/plan.h"
#include "relay/refusal.h"
#include "relay/socket.h"

namespace sanduk {

class Budget {
 public:
  Budget(std::optional<std::int64_t> calls, std::optional<std::int64_t> tokens) : calls_(calls), tokens_(tokens) {}

  // What one call holds back. Given up without being settled, it counts as not made.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(Budget* budget, std::int64_t tokens) : budget_(budget), tokens_(tokens) {}
    Reservation(Reservation&& other) noexcept : budget_(other.budget_), tokens_(other.tokens_) {
      other.budget_ = nullptr;
    }
    Reservation& operator=(Reservation&& other) noexcept;
    ~Reservation() { give_back(); }

    void settle(std::int64_t tokens);  // the call was made and took so many
    void give_back();                  // it was not made, or the provider refused it
    std::int64_t tokens() const { return tokens_; }

   private:
    Budget* budget_ = nullptr;
    std::int64_t tokens_ = 0;
  };

  // Already spent, whatever is in flight?
  std::optional<Refusal> check() const;

  struct Admission {
    std::optional<Refusal> refusal;
    bool gave_up = false;  // the client left or the relay stopped while the call waited
    Reservation reservation;
  };
  // Reserves one call and `estimate` tokens. A call that finds the rest of the tokens reserved by others waits for
  // them to settle; one alone goes as long as anything is left, because what it will take is not known before.
  Admission admit(std::int64_t estimate, Clock::time_point deadline, const StopEvent& stop, int client);

 private:
  friend class Reservation;
  std::optional<Refusal> spent() const;
  void end(std::int64_t reserved, std::optional<std::int64_t> taken);

  const std::optional<std::int64_t> calls_;
  const std::optional<std::int64_t> tokens_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t calls_made_ = 0;
  std::int64_t calls_in_flight_ = 0;
  std::int64_t tokens_spent_ = 0;
  std::int64_t tokens_reserved_ = 0;
};

}  // namespace sanduk
