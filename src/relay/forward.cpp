#include "relay/forward.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "base/text.h"
#include "relay/refusal.h"
#include "relay/rewrite.h"

namespace sanduk {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view one) { return equal_ignoring_case(name, one); });
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

// Meant for this hop only.
bool is_hop_by_hop(std::string_view name) {
  static constexpr std::array<std::string_view, 8> names = {
      "connection", "keep-alive", "te", "trailer", "trailers", "upgrade", "http2-settings", "transfer-encoding"};
  return is_one_of(name, names) || starts_with_ignoring_case(name, "proxy-");
}

// Says who asks, or through whom.
bool tells_the_way(std::string_view name) {
  static constexpr std::array<std::string_view, 6> names = {"via",       "forwarded",      "x-real-ip",
                                                            "client-ip", "true-client-ip", "x-client-ip"};
  return is_one_of(name, names) || starts_with_ignoring_case(name, "x-forwarded-");
}

// Set anew for the request that goes out.
bool is_replaced(std::string_view name) {
  static constexpr std::array<std::string_view, 4> names = {"host", "content-length", "accept-encoding", "expect"};
  return is_one_of(name, names);
}

bool is_dropped_from_answer(std::string_view name) {
  static constexpr std::array<std::string_view, 4> names = {"set-cookie", "set-cookie2", "alt-svc", "content-length"};
  return is_hop_by_hop(name) || is_one_of(name, names);
}

// A weight of zero says "not this one".
bool has_weight(std::string_view parameters) {
  const std::string text = lower(parameters);
  const std::size_t q = text.find("q=");
  return q == std::string::npos || std::strtod(text.c_str() + q + 2, nullptr) > 0;
}

void put(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* const digits = text.data() + i + 1;
    const bool escape =
        text[i] == '%' && text.size() - i > 2 && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    result += escape ? static_cast<char>(value) : text[i];
    if (escape) i += 2;
  }
  return result;
}

bool is_credential(std::string_view name) {
  static constexpr std::array<std::string_view, 12> names = {
      "authorization", "x-api-key",  "api-key", "x-goog-api-key",       "x-auth-token",   "x-access-token",
      "apikey",        "x-auth-key", "cookie",  "x-amz-security-token", "openai-api-key", "anthropic-api-key"};
  return is_one_of(name, names) || starts_with_ignoring_case(name, "proxy-auth");
}

std::string_view narrowed_encoding(const Headers& headers) {
  bool any = false;
  for (const Header& header : headers) {
    if (!equal_ignoring_case(header.name, "accept-encoding")) continue;
    for (const std::string& entry : split(header.value, ',')) {
      const std::size_t semicolon = entry.find(';');
      const std::string_view coding = trim(std::string_view(entry).substr(0, semicolon));
      const bool wanted = semicolon == std::string::npos || has_weight(std::string_view(entry).substr(semicolon));
      if (equal_ignoring_case(coding, "gzip")) return wanted ? "gzip" : "identity";
      if (coding == "*" && wanted) any = true;
    }
  }
  return any ? "gzip" : "identity";
}

bool query_has_credential(std::string_view query) {
  static constexpr std::array<std::string_view, 7> names = {"key",       "api_key", "api-key",     "apikey",
                                                            "x-api-key", "token",   "access_token"};
  if (query.empty()) return false;
  const std::vector<std::string> parameters = split(query.substr(1), '&');
  return std::any_of(parameters.begin(), parameters.end(), [](const std::string& parameter) {
    const std::string name = percent_decoded(parameter.substr(0, parameter.find('=')));
    return is_one_of(std::string_view(name), names);
  });
}

std::string host_header(const Upstream& target) {
  std::string host = target.host.find(':') == std::string::npos ? target.host : "[" + target.host + "]";
  const std::int64_t usual = target.scheme == "https" ? 443 : 80;
  return target.port == usual ? host : host + ":" + std::to_string(target.port);
}

std::string request_head(const Question& question, const PlannedRelay& plan, const Secret& key) {
  std::string text;
  // Enough for all: growing would leave copies of the key behind.
  std::size_t size = 1024 + key.reveal().size() + question.path.size() + question.query.size();
  for (const Header& header : *question.headers) size += header.name.size() + header.value.size() + 4;
  text.reserve(size);
  text.append(question.method).append(" ").append(question.path).append(question.query).append(" HTTP/1.1\r\n");
  put(text, "host", host_header(*plan.upstream));
  if (!key.empty()) {
    text.append(plan.auth_header).append(": ");
    if (!plan.auth_scheme.empty()) text.append(plan.auth_scheme).append(" ");
    text.append(key.reveal()).append("\r\n");
  }
  for (const Header& header : *question.headers) {
    const bool drop = is_credential(header.name) || equal_ignoring_case(header.name, plan.auth_header) ||
                      is_hop_by_hop(header.name) || tells_the_way(header.name) || is_replaced(header.name) ||
                      (question.was_encoded && equal_ignoring_case(header.name, "content-encoding")) ||
                      lists_token(*question.headers, "connection", header.name);
    if (!drop) put(text, header.name, header.value);
  }
  put(text, "accept-encoding", narrowed_encoding(*question.headers));
  if (question.has_body) put(text, "content-length", std::to_string(total_size(question.pieces)));
  text.append("\r\n");
  return text;
}

ForwardedHead response_head(const ResponseHead& head, const RequestHead& request) {
  ForwardedHead result;
  std::string& text = result.text;
  text.reserve(1024);
  text.append("HTTP/1.1 ").append(std::to_string(head.status)).append(" ");
  text.append(head.reason.empty() ? reason_phrase(head.status) : head.reason).append("\r\n");
  for (const Header& header : head.headers) {
    const bool drop = is_dropped_from_answer(header.name) || lists_token(head.headers, "connection", header.name);
    if (!drop) put(text, header.name, header.value);
  }
  result.keep_alive = request.keep_alive;
  const std::optional<std::string_view> length = find_header(head.headers, "content-length");
  switch (head.framing.kind) {
    case Framing::Kind::none:
      // What the length would have been, for HEAD; a 204 has none.
      if (length && head.status != 204) put(text, "content-length", *length);
      break;
    case Framing::Kind::length:
      result.framing = ClientFraming::length;
      put(text, "content-length", std::to_string(head.framing.length));
      break;
    case Framing::Kind::chunked:
    case Framing::Kind::until_close:
      if (request.minor_version == 1) {
        result.framing = ClientFraming::chunked;
        put(text, "transfer-encoding", "chunked");
      } else {
        result.framing = ClientFraming::until_close;
        result.keep_alive = false;
      }
      break;
  }
  if (!result.keep_alive) {
    put(text, "connection", "close");
  } else if (request.minor_version == 0) {
    put(text, "connection", "keep-alive");
  }
  text.append("\r\n");
  return result;
}

}  // namespace sanduk
