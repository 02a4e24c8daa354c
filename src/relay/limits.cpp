#include "relay/limits.h"

#include "base/text.h"

namespace sanduk {
namespace {

std::string seconds(Limits::milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s" : std::to_string(time.count()) + " ms";
}

std::string bytes(std::size_t count) { return human_bytes(count); }

std::string number(std::size_t count) { return std::to_string(count); }

}  // namespace

std::vector<LimitRow> limit_table(const Limits& l) {
  return {
      {"connections", number(l.connections), "new connections wait until one ends"},
      {"request_line", bytes(l.request_line), "431, connection closed"},
      {"header_line", bytes(l.header_line), "431, connection closed"},
      {"header_count", number(l.header_count), "431, connection closed"},
      {"head_bytes", bytes(l.head_bytes), "431, connection closed"},
      {"body_bytes", bytes(l.body_bytes), "413, connection closed; the same for a compressed body once decoded"},
      {"all_bodies", bytes(l.all_bodies), "503, connection closed; the bodies of all calls together"},
      {"trailer_bytes", bytes(l.trailer_bytes), "400, connection closed"},
      {"report_bytes", bytes(l.report_bytes), "413, connection closed"},
      {"client_idle", seconds(l.client_idle), "a connection between two requests is closed"},
      {"head_idle", seconds(l.head_idle), "408, connection closed"},
      {"head_total", seconds(l.head_total), "408, connection closed"},
      {"body_idle", seconds(l.body_idle), "408, connection closed"},
      {"body_total", seconds(l.body_total), "408, connection closed"},
      {"client_write_idle", seconds(l.client_write_idle),
       "a client that reads nothing is cut off, and its upstream with it"},
      {"drain_total", seconds(l.drain_total),
       "after a refusal the rest of a body is read for so long, then the connection is closed"},
      {"drain_bytes", bytes(l.drain_bytes), "the same, by size"},
      {"json_depth", number(l.json_depth), "400, connection closed"},
      {"budget_wait", seconds(l.budget_wait),
       "402; a call waits so long for calls in flight to give back what they reserved"},
      {"tunnel_idle", seconds(l.tunnel_idle), "a tunnel to an allowed host is cut"},
      {"connect_one", seconds(l.connect_one), "the next address of the host is tried"},
      {"connect_total", seconds(l.connect_total), "502"},
      {"handshake", seconds(l.handshake), "502"},
      {"upstream_write_idle", seconds(l.upstream_write_idle), "502"},
      {"answer_idle", seconds(l.answer_idle), "502 before the answer began, else the client's connection is cut"},
      {"answer_line", bytes(l.answer_line), "502"},
      {"answer_header_count", number(l.answer_header_count), "502"},
      {"answer_head_bytes", bytes(l.answer_head_bytes), "502"},
      {"interim_answers", number(l.interim_answers), "502; so many 1xx answers are skipped"},
      {"idle_upstreams", number(l.idle_upstreams), "the oldest idle connection to the provider is closed"},
      {"idle_upstream_age", seconds(l.idle_upstream_age), "an older idle connection is not used again"},
      {"key_refusals", number(l.key_refusals), "the run is stopped; so many 401 or 403 of the provider in a row"},
      {"usage_key", bytes(l.usage_key), "a longer key in an answer is passed over by the usage reader"},
      {"inflate_bytes", bytes(l.inflate_bytes), "the usage reader gives up: usage=?"},
      {"record_bytes", bytes(l.record_bytes), "an answer that is larger is not recorded"},
  };
}

}  // namespace sanduk
