// Every bound of the relay, with what happens at it. One table, so that none is hidden and tests can make them small.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace sanduk {

struct Limits {
  using milliseconds = std::chrono::milliseconds;

  // The client's side.
  std::size_t connections = 2048;
  std::size_t request_line = 8192;
  std::size_t header_line = 16384;
  std::size_t header_count = 128;
  std::size_t head_bytes = 65536;
  std::size_t body_bytes = std::size_t{64} << 20;
  std::size_t all_bodies = std::size_t{1} << 30;
  std::size_t trailer_bytes = 8192;
  std::size_t report_bytes = std::size_t{1} << 20;
  milliseconds client_idle{600'000};
  milliseconds head_idle{15'000};
  milliseconds head_total{30'000};
  milliseconds body_idle{60'000};
  milliseconds body_total{600'000};
  milliseconds client_write_idle{300'000};
  milliseconds drain_total{3'000};
  std::size_t drain_bytes = std::size_t{128} << 20;
  std::size_t json_depth = 256;
  milliseconds budget_wait{900'000};
  milliseconds tunnel_idle{600'000};

  // The provider's side.
  milliseconds connect_one{4'000};
  milliseconds connect_total{15'000};
  milliseconds handshake{10'000};
  milliseconds upstream_write_idle{60'000};
  milliseconds answer_idle{900'000};
  std::size_t answer_line = 65536;
  std::size_t answer_header_count = 256;
  std::size_t answer_head_bytes = 131072;
  std::size_t interim_answers = 16;
  std::size_t idle_upstreams = 64;
  milliseconds idle_upstream_age{240'000};
  std::size_t key_refusals = 3;

  // Readers on the side, which never delay or end an answer.
  std::size_t usage_key = 128;
  std::size_t inflate_bytes = std::size_t{1} << 30;
  std::size_t record_bytes = std::size_t{64} << 20;
};

struct LimitRow {
  std::string name;
  std::string value;       // with its unit
  std::string at_the_end;  // what happens when it is reached
};

// The whole table, for people: printed by `sanduk relay --limits`.
std::vector<LimitRow> limit_table(const Limits& limits);

}  // namespace sanduk
