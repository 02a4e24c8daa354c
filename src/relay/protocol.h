// What differs between the protocols that completions are spoken in, as one table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "relay/call.h"

namespace sanduk {

// thinking: answered tokens that `out` does not hold.
enum class Counter { in, cache_write, cache_read, out, thinking, cost };

// Where a counter stands in an answer, as keys from the outermost object inwards.
struct UsagePlace {
  std::string_view path;
  Counter counter;
};

struct ProtocolFacts {
  Protocol protocol;
  std::vector<std::string_view> caps;  // body fields that bound what one answer may hold
  std::string_view missing_cap;        // the one to add where none is given; empty: the provider refuses such a call
  std::vector<std::string_view> cap_objects;  // spellings of the field that holds the caps; none: the body itself
  std::vector<std::string_view> answers;      // body fields, beside the caps, that ask for several answers at once
  bool null_cap_means_none = false;
  bool thinking_below_cap = false;  // thinking.budget_tokens must stay below the cap
  bool can_ask_for_usage = false;   // stream_options.include_usage
  bool in_holds_cache = false;      // `in` counts the cached tokens, too
  std::vector<UsagePlace> usage;
};

// Nothing for Protocol::none.
const ProtocolFacts* facts_of(Protocol protocol);

// Takes a later report of a counter over an earlier one: the providers' counters only grow, so that a zero after a
// number is a field that was not filled in. Not for `thinking`, which a Usage has no place for.
void take_counter(Usage& usage, Counter counter, double value);

// Sets `total` from the counters.
void sum_up(Usage& usage, const ProtocolFacts& facts);

void add_usage(Usage& sum, const Usage& usage);

}  // namespace sanduk
