#include "relay/call.h"

#include <array>
#include <cstdio>

#include "base/text.h"

namespace sanduk {
namespace {

void put(std::string& line, const char* name, const std::optional<std::int64_t>& counter) {
  if (counter) line += std::string(" ") + name + "=" + std::to_string(*counter);
}

std::string usage_words(const Usage& usage) {
  std::string line;
  put(line, "in", usage.in);
  put(line, "cache_write", usage.cache_write);
  put(line, "cache_read", usage.cache_read);
  put(line, "out", usage.out);
  if (usage.cost_usd) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), " cost=%.6f", *usage.cost_usd);
    line += text.data();
  }
  return line;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

std::string call_line(const CallRecord& call) {
  std::string line = or_dash(call.method) + " " + or_dash(call.path) + " -> " + std::to_string(call.status);
  if (!call.refusal.empty()) return printable(line + " " + call.refusal + ": " + call.why);
  if (is_tunnel(call)) {
    line += " sent=" + std::to_string(call.request_bytes) + " received=" + std::to_string(call.response_bytes);
  }
  line += usage_words(call.usage);
  // A provider that refused a call generated nothing; one that answered it must have counted.
  if (call.completion && call.status < 400 && !call.usage.known()) line += " usage=?";
  if (!call.complete) line += " incomplete: " + call.why;
  if (!call.body_digest.empty()) line += " sha256=" + call.body_digest;
  return printable(line);
}

std::string tally_line(const RelayTally& tally) {
  std::string line = std::to_string(tally.calls) + (tally.calls == 1 ? " call" : " calls");
  if (tally.tunnels > 0) line += ", " + std::to_string(tally.tunnels) + (tally.tunnels == 1 ? " tunnel" : " tunnels");
  if (tally.refused > 0) line += ", " + std::to_string(tally.refused) + " refused";
  if (tally.without_usage > 0) line += ", " + std::to_string(tally.without_usage) + " without usage";
  const std::string usage = usage_words(tally.usage);
  return usage.empty() ? line : line + ":" + usage;
}

}  // namespace sanduk
