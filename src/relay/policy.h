// Judges a request's body: which model it names, how much it may generate, and what has to change before it is sent on.
#pragma once

#include <cstdint>
#include <functional>
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
  std::vector<Edit> edits;  // sorted, for apply_edits
  // What the call may take, for reserving it.
  std::int64_t in_tokens = 0;
  std::int64_t out_tokens = 0;  // of all its answers

  std::int64_t tokens() const { return in_tokens + out_tokens; }
};

// Whether bodies on this route are judged at all.
bool has_policy(const Route& route);

struct Rules {
  const Route& route;
  const PlannedRelay& plan;
  std::size_t depth = 256;           // of the JSON
  std::string_view path_model = {};  // empty: the path names none
  // The most tokens that the budgets leave to all answers of a call on this model with so many tokens of input. Unset,
  // or nothing: no bound.
  std::function<std::optional<std::int64_t>(const std::string& model, std::int64_t in_tokens)> rest = {};
};

Judgement judge_body(std::string_view body, const Rules& rules);

}  // namespace sanduk
