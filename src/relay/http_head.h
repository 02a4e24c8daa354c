// Heads of HTTP/1.1 messages, read strictly: what two readers could understand differently is a fault, never a guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relay/limits.h"

namespace sanduk {

// A view into the head's own text.
struct Header {
  std::string_view name;
  std::string_view value;  // without blanks around it
};

using Headers = std::vector<Header>;

std::size_t count_headers(const Headers& headers, std::string_view name);
std::optional<std::string_view> find_header(const Headers& headers, std::string_view name);
// Whether a comma-separated list in any header `name` holds `token`, ignoring case.
bool lists_token(const Headers& headers, std::string_view name, std::string_view token);
bool is_token(std::string_view text);

// How the body behind a head is delimited.
struct Framing {
  enum class Kind { none, length, chunked, until_close } kind = Kind::none;
  std::uint64_t length = 0;
};

struct HeadFault {
  int status = 400;
  std::string why;
};

// Looks for the end of a head in bytes that arrive piece by piece, and refuses what can be refused early.
class HeadFinder {
 public:
  HeadFinder(std::size_t first_line, std::size_t line, std::size_t total)
      : first_line_(first_line), line_(line), total_(total) {}

  // `text`: all bytes so far. The head's length with its blank line once it is whole.
  std::optional<std::size_t> find(std::string_view text);
  const std::optional<HeadFault>& fault() const { return fault_; }

 private:
  std::size_t first_line_, line_, total_;
  std::size_t line_begin_ = 0;
  std::size_t looked_at_ = 0;
  bool first_ = true;
  std::optional<HeadFault> fault_;
};

struct RequestHead {
  RequestHead() = default;
  RequestHead(const RequestHead&) = delete;
  RequestHead& operator=(const RequestHead&) = delete;

  std::string text;  // what all views point into
  std::string_view method;
  std::string_view path;   // of CONNECT: HOST:PORT
  std::string_view query;  // with its "?"; empty: none
  int minor_version = 1;
  Headers headers;
  Framing framing;
  bool keep_alive = false;
  bool expects_continue = false;
};

// Reads `text` (a whole head, with the blank line) into `head`, as far as it goes: after a fault in a header the method
// and the path are there for the log.
std::optional<HeadFault> parse_request_head(std::string_view text, const Limits& limits, RequestHead& head);

struct ResponseHead {
  ResponseHead() = default;
  ResponseHead(const ResponseHead&) = delete;
  ResponseHead& operator=(const ResponseHead&) = delete;

  std::string text;
  int status = 0;
  std::string_view reason;
  int minor_version = 1;
  Headers headers;
  Framing framing;
  bool keep_alive = false;
};

// `answers_head`: the request was HEAD, so no body follows.
std::optional<HeadFault> parse_response_head(std::string_view text, const Limits& limits, bool answers_head,
                                             ResponseHead& head);

}  // namespace sanduk
