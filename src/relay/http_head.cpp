#include "relay/http_head.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace sanduk {
namespace {

constexpr std::array<bool, 256> token_table() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<unsigned char>(c)] = true;
  return table;
}

constexpr std::array<bool, 256> token_characters = token_table();

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes one line off `text`. HeadFinder has seen that every line ends in CRLF.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find("\r\n");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  return line;
}

std::optional<HeadFault> read_headers(std::string_view text, std::size_t most, Headers& headers) {
  headers.reserve(24);
  for (;;) {
    const std::string_view line = take_line(text);
    if (line.empty()) return std::nullopt;
    if (line.front() == ' ' || line.front() == '\t') return HeadFault{400, "a folded header line"};
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return HeadFault{400, "a header line without a colon"};
    const std::string_view name = line.substr(0, colon);
    if (!is_token(name)) return HeadFault{400, "a header name with characters that a name cannot have"};
    const std::string_view value = trim_blanks(line.substr(colon + 1));
    for (const char c : value) {
      if (is_control(c) && c != '\t') return HeadFault{400, "a control character in a header value"};
    }
    if (headers.size() >= most) return HeadFault{431, "more than " + std::to_string(most) + " headers"};
    headers.push_back({name, value});
  }
}

// What the length headers say; shared by both directions because both can be used to make two readers disagree.
std::optional<HeadFault> read_framing(const Headers& headers, int minor_version, Framing& framing) {
  std::optional<std::string_view> length;
  std::optional<std::string_view> coding;
  for (const Header& header : headers) {
    const bool is_length = equal_ignoring_case(header.name, "content-length");
    const bool is_coding = equal_ignoring_case(header.name, "transfer-encoding");
    if ((is_length && length) || (is_coding && coding)) return HeadFault{400, "two length headers"};
    if (is_length) length = header.value;
    if (is_coding) coding = header.value;
  }
  if (length && coding) return HeadFault{400, "Content-Length together with Transfer-Encoding"};
  if (coding) {
    if (minor_version == 0) return HeadFault{400, "Transfer-Encoding in HTTP/1.0"};
    if (!equal_ignoring_case(*coding, "chunked")) return HeadFault{400, "a Transfer-Encoding other than chunked"};
    framing.kind = Framing::Kind::chunked;
  } else if (length) {
    const std::optional<std::int64_t> count = parse_decimal(*length);
    if (!count) return HeadFault{400, "a Content-Length that is not a plain number"};
    framing = {Framing::Kind::length, static_cast<std::uint64_t>(*count)};
  }
  return std::nullopt;
}

bool reads_as_keep_alive(const Headers& headers, int minor_version) {
  if (lists_token(headers, "connection", "close")) return false;
  return minor_version == 1 || lists_token(headers, "connection", "keep-alive");
}

std::optional<HeadFault> check_path(std::string_view path) {
  if (path.starts_with("http://")) return HeadFault{400, "plain HTTP to other hosts is not relayed; use https"};
  if (path.empty() || path.front() != '/') return HeadFault{400, "a request target that is not a path"};
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7f) return HeadFault{400, "a character in the path that a path cannot have"};
    if (c == '%' || c == ';' || c == '\\' || c == '#') return HeadFault{400, std::string("'") + c + "' in the path"};
  }
  if (path.find("//") != std::string_view::npos) return HeadFault{400, "'//' in the path"};
  if (path.find("/./") != std::string_view::npos || path.find("..") != std::string_view::npos || path.ends_with("/.")) {
    return HeadFault{400, "a dot segment in the path"};
  }
  return std::nullopt;
}

// host:port, of which no part is looked at before it is compared.
std::optional<HeadFault> check_authority(std::string_view target) {
  const bool plain = std::all_of(target.begin(), target.end(), [](char c) {
    return token_characters[static_cast<unsigned char>(c)] || c == ':' || c == '[' || c == ']';
  });
  if (plain && target.find(':') != std::string_view::npos) return std::nullopt;
  return HeadFault{400, "a target of CONNECT that is not HOST:PORT"};
}

std::optional<HeadFault> check_query(std::string_view query) {
  for (const char c : query) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7f || c == '#' || c == '\\') {
      return HeadFault{400, "a character in the query that a query cannot have"};
    }
  }
  return std::nullopt;
}

std::optional<HeadFault> read_request_line(std::string_view line, RequestHead& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return HeadFault{400, "a broken request line"};
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method)) return HeadFault{400, "a broken request method"};
  head.method = method;
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return HeadFault{505, "a version other than HTTP/1.1 and HTTP/1.0"};
  head.minor_version = version.back() - '0';
  if (method == "CONNECT") {
    head.path = target;
    return check_authority(target);
  }
  const std::size_t question = target.find('?');
  head.path = target.substr(0, question);
  if (question != std::string_view::npos) head.query = target.substr(question);
  if (std::optional<HeadFault> fault = check_path(head.path)) return fault;
  return check_query(head.query);
}

std::optional<HeadFault> check_host(const RequestHead& head) {
  const std::size_t hosts = count_headers(head.headers, "host");
  if (hosts > 1) return HeadFault{400, "two Host headers"};
  if (hosts == 0 && head.minor_version == 1) return HeadFault{400, "no Host header"};
  const std::string_view host = find_header(head.headers, "host").value_or("localhost");
  const bool plain = std::all_of(host.begin(), host.end(), [](char c) {
    return token_characters[static_cast<unsigned char>(c)] || c == ':' || c == '[' || c == ']';
  });
  if (host.empty() || !plain) return HeadFault{400, "a broken Host header"};
  return std::nullopt;
}

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return token_characters[static_cast<unsigned char>(c)]; });
}

std::size_t count_headers(const Headers& headers, std::string_view name) {
  return static_cast<std::size_t>(std::count_if(
      headers.begin(), headers.end(), [&](const Header& header) { return equal_ignoring_case(header.name, name); }));
}

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
  for (const Header& header : headers) {
    if (equal_ignoring_case(header.name, name)) return header.value;
  }
  return std::nullopt;
}

bool lists_token(const Headers& headers, std::string_view name, std::string_view token) {
  for (const Header& header : headers) {
    if (!equal_ignoring_case(header.name, name)) continue;
    for (std::string_view rest = header.value;;) {
      const std::size_t comma = rest.find(',');
      if (equal_ignoring_case(trim_blanks(rest.substr(0, comma)), token)) return true;
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return false;
}

std::optional<std::size_t> HeadFinder::find(std::string_view text) {
  for (;;) {
    const std::size_t newline = text.find('\n', looked_at_);
    const std::size_t line_end = newline == std::string_view::npos ? text.size() : newline + 1;
    const std::size_t most = first_ ? first_line_ : line_;
    if (line_end - line_begin_ > most + 2 || line_end > total_) {
      fault_ = HeadFault{431, first_ ? "the first line is too long" : "the headers are too long"};
      return std::nullopt;
    }
    looked_at_ = line_end;
    if (newline == std::string_view::npos) return std::nullopt;
    if (newline == line_begin_ || text[newline - 1] != '\r') {
      fault_ = HeadFault{400, "a line that does not end in CR LF"};
      return std::nullopt;
    }
    const bool empty = newline == line_begin_ + 1;
    if (empty && first_) {
      fault_ = HeadFault{400, "an empty first line"};
      return std::nullopt;
    }
    if (empty) return line_end;
    first_ = false;
    line_begin_ = line_end;
  }
}

std::optional<HeadFault> parse_request_head(std::string_view text, const Limits& limits, RequestHead& head) {
  head.text = text;
  std::string_view rest = head.text;
  if (std::optional<HeadFault> fault = read_request_line(take_line(rest), head)) return fault;
  if (std::optional<HeadFault> fault = read_headers(rest, limits.header_count, head.headers)) return fault;
  if (std::optional<HeadFault> fault = check_host(head)) return fault;
  if (std::optional<HeadFault> fault = read_framing(head.headers, head.minor_version, head.framing)) return fault;
  if (find_header(head.headers, "upgrade")) return HeadFault{400, "Upgrade is not supported here"};
  if (count_headers(head.headers, "content-encoding") > 1) return HeadFault{400, "two Content-Encoding headers"};
  const std::optional<std::string_view> expectation = find_header(head.headers, "expect");
  if (expectation && !equal_ignoring_case(*expectation, "100-continue"))
    return HeadFault{417, "an unknown expectation"};
  head.expects_continue = expectation.has_value() && head.minor_version == 1;
  head.keep_alive = reads_as_keep_alive(head.headers, head.minor_version);
  return std::nullopt;
}

std::optional<HeadFault> parse_response_head(std::string_view text, const Limits& limits, bool answers_head,
                                             ResponseHead& head) {
  head.text = text;
  std::string_view rest = head.text;
  const std::string_view line = take_line(rest);
  const bool plain = line.size() >= 12 && (line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ")) &&
                     (line.size() == 12 || line[12] == ' ');
  const std::optional<std::int64_t> status = plain ? parse_decimal(line.substr(9, 3)) : std::nullopt;
  if (!status || *status < 100 || *status > 599) return HeadFault{502, "a broken status line"};
  for (const char c : line) {
    if (is_control(c)) return HeadFault{502, "a control character in the status line"};
  }
  head.status = static_cast<int>(*status);
  head.minor_version = line[7] - '0';
  if (line.size() > 13) head.reason = line.substr(13);
  std::optional<HeadFault> fault = read_headers(rest, limits.answer_header_count, head.headers);
  if (!fault) fault = read_framing(head.headers, head.minor_version, head.framing);
  if (fault) {
    fault->status = 502;
    return fault;
  }
  head.keep_alive = reads_as_keep_alive(head.headers, head.minor_version);
  const bool no_body = answers_head || head.status < 200 || head.status == 204 || head.status == 304;
  if (no_body) {
    head.framing = {};
  } else if (head.framing.kind == Framing::Kind::none) {
    head.framing.kind = Framing::Kind::until_close;
    head.keep_alive = false;
  }
  return std::nullopt;
}

}  // namespace sanduk
