#include "base/json.h"
#include "base/text.h"
#include "base/world.h"
#include "relay/call.h"

namespace sanduk {
namespace {

void counter(JsonWriter& json, std::string_view name, const std::optional<std::int64_t>& value) {
  if (value) json.field(name, *value);
}

}  // namespace

void write_call(JsonWriter& json, const CallRecord& call) {
  json.field("schema", 1).field("id", call.id).field("started", timestamp(call.started));
  json.field("method", call.method).field("path", call.path).field("status", call.status);
  if (!call.model.empty()) json.field("model", call.model);
  json.field("decision", call.refusal.empty() ? "forwarded" : "refused");
  if (!call.refusal.empty()) json.field("rule", call.refusal);
  if (!call.why.empty()) json.field("why", call.why);
  json.field("completion", call.completion).field("complete", call.complete);
  counter(json, "in", call.usage.in);
  counter(json, "cache_write", call.usage.cache_write);
  counter(json, "cache_read", call.usage.cache_read);
  counter(json, "out", call.usage.out);
  if (call.usage.cost_usd) json.field("cost_usd", *call.usage.cost_usd);
  if (call.usage.known()) json.field("total", call.usage.total);
  json.field("request_bytes", call.request_bytes).field("response_bytes", call.response_bytes);
  json.field("seconds_queued", call.seconds_queued).field("seconds_to_first_byte", call.seconds_to_first_byte);
  json.field("seconds", call.seconds);
  if (!call.body_digest.empty()) json.field("body_digest", call.body_digest);
}

std::string call_json(const CallRecord& call) {
  JsonWriter json;
  json.begin_object();
  write_call(json, call);
  json.end_object();
  return printable(json.text());
}

}  // namespace sanduk
