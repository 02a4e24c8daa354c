// What the run may cost, and the prices that it is counted by.
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "diagnostics/mask.h"
#include "resolve/resolution.h"

namespace sanduk {
namespace {

struct Column {
  std::string_view name;
  double Price::*member;
};
constexpr std::array columns = {Column{"in", &Price::in},
                                Column{"out", &Price::out},
                                Column{"cache_read", &Price::cache_read},
                                Column{"cache_write", &Price::cache_write},
                                Column{"long_in", &Price::long_in},
                                Column{"long_out", &Price::long_out}};

std::optional<double> parse_amount(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    return std::nullopt;
  return value;
}

bool take_word(std::string_view word, Price& price) {
  const std::size_t equals = word.find('=');
  const std::optional<double> value =
      equals == std::string_view::npos ? std::nullopt : parse_amount(word.substr(equals + 1));
  if (!value) return false;
  const std::string_view name = word.substr(0, equals);
  if (name == "long_context") {
    price.long_context = static_cast<std::int64_t>(std::min(*value, 1e12));
    return true;
  }
  for (const Column& column : columns) {
    if (column.name != name) continue;
    price.*column.member = *value;
    return true;
  }
  return false;
}

// "in=5 out=25 …". What is left out of the caches' prices costs as much as fresh input.
std::optional<Price> parse_price(const std::string& model, const std::string& text) {
  Price price;
  price.model = model;
  price.in = price.out = price.cache_read = price.cache_write = -1;
  for (const std::string& word : split(text, ' ')) {
    if (!word.empty() && !take_word(word, price)) return std::nullopt;
  }
  if (price.in < 0 || price.out < 0) return std::nullopt;
  if (price.cache_read < 0) price.cache_read = price.in;
  if (price.cache_write < 0) price.cache_write = price.in;
  const bool has_long = price.long_in > 0 || price.long_out > 0;
  if (has_long != (price.long_context > 0)) return std::nullopt;
  return price;
}

}  // namespace

void resolve_money(Resolution& r) {
  const Setting<double>& usd = r.profile.caps.usd;
  if (!r.provider || !usd.is_set()) return;
  if (!std::isfinite(*usd) || *usd <= 0) {
    r.fault("bad-value", "`caps.usd` must be more than 0", usd.origin).with_help("leave it out for no limit");
    return;
  }
  PlannedRelay& relay = r.plan.relay;
  relay.budget_usd = *usd;
  relay.provider_reports_cost = *r.provider->reports_cost;
  if (relay.provider_reports_cost) return;
  const PriceTable table = r.catalog.prices(r.problems);
  for (const auto& [model, item] : *table.models) {
    const std::optional<Price> price = parse_price(model, item.text);
    if (price) {
      relay.prices.push_back(*price);
      continue;
    }
    r.problems.add(error("bad-value", "the price of `" + masked(model) + "` cannot be read")
                       .at(item.origin.span)
                       .with_help("write it as \"in=5 out=25 cache_read=0.5 cache_write=10\": US dollars a million "
                                  "tokens; long_context, long_in and long_out only together"));
  }
  const Setting<std::string>& model = r.profile.agent.model;
  const auto has_price = [&](const std::string& name) {
    return std::any_of(relay.prices.begin(), relay.prices.end(),
                       [&](const Price& one) { return name == one.model || name.starts_with(one.model + "-2"); });
  };
  if (!model.is_set() || has_price(*model)) return;
  r.fault("unknown-price", "`caps.usd` needs the price of `" + masked(*model) + "`, which is not known", usd.origin)
      .at(r.said_at(model.origin), "the model is chosen here")
      .with_help("add it to ~/.config/sanduk/prices.toml: [models] \"" + masked(*model) +
                 "\" = \"in=5 out=25\" (US dollars a million tokens), or use caps.tokens");
}

}  // namespace sanduk
