// Judges a request's body: which model it names, how much it may generate, and what has to change before it is sent on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "relay/refusal.h"
#include "relay/rewrite.h"

namespace sanduk {

struct Judgement {
  std::optional<Refusal> refusal;
  std::string model;
  bool stream = false;
  std::vector<Edit> edits;    // sorted, for apply_edits
  std::int64_t estimate = 0;  // tokens that the call may take, for reserving them
};

// Whether bodies on this route are judged at all.
bool has_policy(const Route& route);

Judgement judge_body(std::string_view body, const Route& route, const PlannedRelay& plan, std::size_t depth);

}  // namespace sanduk
