// What the relay reports of each call, and of all of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace sanduk {

// Tokens of one call as the provider reported them; a counter that it did not report is absent, never zero.
struct Usage {
  std::optional<std::int64_t> in;
  std::optional<std::int64_t> cache_write;
  std::optional<std::int64_t> cache_read;
  std::optional<std::int64_t> out;
  std::optional<double> cost_usd;

  bool known() const { return in || cache_write || cache_read || out; }
  // Everything that was read or written, for budgets. For protocols whose `in` holds the cached tokens, cache counters
  // are not added again.
  std::int64_t total = 0;
};

// One request that reached the relay, answered or refused.
struct CallRecord {
  std::int64_t id = 0;  // from 1, in order of arrival
  std::chrono::system_clock::time_point started;
  std::string method;
  std::string path;         // without the query
  std::string model;        // as the body names it; empty where it names none
  int status = 0;           // sent to the client; 0: the client went before one could be sent
  std::string refusal;      // our own refusal's kind, e.g. "forbidden"; empty: the upstream answered
  std::string why;          // words that belong to `refusal` or to an incomplete answer
  bool completion = false;  // a call whose protocol reports usage
  bool complete = true;     // false: the answer was cut (by the upstream, or because the client went)
  Usage usage;
  std::int64_t request_bytes = 0;
  std::int64_t response_bytes = 0;
  double seconds_queued = 0;  // of `seconds`: waited for the budget
  double seconds_to_first_byte = 0;
  double seconds = 0;
  std::string body_digest;  // SHA-256 of the request body, when the log policy asks for it
};

// Bytes to an allowed host, both ways (request_bytes, response_bytes); no call of the provider.
inline bool is_tunnel(const CallRecord& call) { return call.method == "CONNECT"; }

struct RelayTally {
  std::int64_t calls = 0;  // answered by the upstream
  std::int64_t tunnels = 0;
  std::int64_t refused = 0;
  std::int64_t without_usage = 0;  // completions that reported no usage
  Usage usage;                     // sums
};

class JsonWriter;

// The members of a call's object in the log, whose schema is version 1: who, what, how long, how much, and by which
// rule it was let through or not.
void write_call(JsonWriter& json, const CallRecord& call);
// The object as one line, without its end, safe for a terminal.
std::string call_json(const CallRecord& call);

// "POST /v1/messages -> 200 in=12 cache_write=0 cache_read=9 out=3", "usage=?" where a completion reported none, and
// the refusal in words. One line, safe for a terminal.
std::string call_line(const CallRecord& call);
std::string tally_line(const RelayTally& tally);

}  // namespace sanduk
