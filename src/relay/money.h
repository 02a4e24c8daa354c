// What calls cost, by the plan's prices.
#pragma once

#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "relay/call.h"

namespace sanduk {

// The row of exactly this model, or of it without a date behind it ("-20251101", "-2025-11-01"). A family's name is
// no price: its members differ. Null: none.
const Price* price_of(const std::vector<Price>& prices, std::string_view model);

// US dollars. `in_holds_cache`: the counter `in` counts the cached tokens, too.
double cost_of(const Usage& usage, bool in_holds_cache, const Price& price);

// The most that a call of so many tokens can cost: its input may all be written to a cache.
double most_cost(double in_tokens, double out_tokens, const Price& price);

}  // namespace sanduk
