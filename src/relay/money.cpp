#include "relay/money.h"

#include <algorithm>

namespace sanduk {
namespace {

constexpr double million = 1e6;

bool is_date(std::string_view text) {
  const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
  const auto dashes = std::count(text.begin(), text.end(), '-');
  return digits && ((text.size() == 9 && dashes == 1) || (text.size() == 11 && dashes == 3));
}

struct Rates {
  double in;
  double out;
  double cached;  // the factor by which cached tokens follow `in`
};

Rates rates_of(const Price& price, double in_tokens) {
  const bool is_long = price.long_context > 0 && in_tokens > static_cast<double>(price.long_context);
  if (!is_long) return {price.in, price.out, 1};
  return {price.long_in, price.long_out, price.in > 0 ? price.long_in / price.in : 1};
}

}  // namespace

const Price* price_of(const std::vector<Price>& prices, std::string_view model) {
  const auto named = [&](std::string_view name) {
    const auto found = std::find_if(prices.begin(), prices.end(), [&](const Price& one) { return one.model == name; });
    return found == prices.end() ? nullptr : &*found;
  };
  if (const Price* const exact = named(model)) return exact;
  for (const std::size_t size : {std::size_t{9}, std::size_t{11}}) {
    if (model.size() <= size || model[model.size() - size] != '-') continue;
    if (!is_date(model.substr(model.size() - size))) continue;
    if (const Price* const undated = named(model.substr(0, model.size() - size))) return undated;
  }
  return nullptr;
}

double cost_of(const Usage& usage, bool in_holds_cache, const Price& price) {
  const auto number = [](const std::optional<std::int64_t>& counter) {
    return static_cast<double>(std::max<std::int64_t>(counter.value_or(0), 0));
  };
  const double cached = number(usage.cache_read) + number(usage.cache_write);
  const double fresh = in_holds_cache ? std::max(0.0, number(usage.in) - cached) : number(usage.in);
  const Rates rates = rates_of(price, fresh + cached);
  return (fresh * rates.in + number(usage.cache_read) * price.cache_read * rates.cached +
          number(usage.cache_write) * price.cache_write * rates.cached + number(usage.out) * rates.out) /
         million;
}

double most_cost(double in_tokens, double out_tokens, const Price& price) {
  const Rates rates = rates_of(price, in_tokens);
  return (in_tokens * std::max(rates.in, price.cache_write * rates.cached) + out_tokens * rates.out) / million;
}

}  // namespace sanduk
