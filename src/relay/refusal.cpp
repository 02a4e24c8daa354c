#include "relay/refusal.h"

#include <algorithm>

#include "base/json.h"

namespace sanduk {

Refusal bad_request(std::string why) { return {400, "invalid_request_error", std::move(why)}; }
Refusal no_token(std::string why) { return {401, "authentication_error", std::move(why)}; }
Refusal over_budget(std::string why) { return {402, "budget_exceeded", std::move(why)}; }
Refusal forbidden(std::string why) { return {403, "forbidden", std::move(why)}; }
Refusal no_proxy_token(std::string why) { return {407, "authentication_error", std::move(why)}; }
Refusal timed_out(std::string why) { return {408, "invalid_request_error", std::move(why)}; }
Refusal no_answer_recorded(std::string why) { return {422, "cassette_miss", std::move(why)}; }
Refusal length_required() { return {411, "invalid_request_error", "a request body needs Content-Length or chunked"}; }
Refusal too_large(std::string why) { return {413, "request_too_large", std::move(why)}; }
Refusal unsupported_encoding(std::string why) { return {415, "unsupported_encoding", std::move(why)}; }
Refusal head_too_large(std::string why) { return {431, "request_too_large", std::move(why)}; }
Refusal upstream_failed(std::string why) { return {502, "api_error", std::move(why)}; }
Refusal not_open(std::string why) { return {503, "overloaded", std::move(why)}; }

ErrorShape error_shape_of(const std::vector<Route>& routes) {
  const auto speaks = [&](Protocol protocol) {
    return std::any_of(routes.begin(), routes.end(), [&](const Route& route) { return route.protocol == protocol; });
  };
  if (speaks(Protocol::anthropic_messages)) return ErrorShape::anthropic;
  if (speaks(Protocol::openai_chat) || speaks(Protocol::openai_responses)) return ErrorShape::openai;
  return speaks(Protocol::gemini_generate) ? ErrorShape::google : ErrorShape::anthropic;
}

ErrorShape error_shape_of(Protocol protocol, ErrorShape otherwise) {
  switch (protocol) {
    case Protocol::anthropic_messages:
      return ErrorShape::anthropic;
    case Protocol::openai_chat:
    case Protocol::openai_responses:
      return ErrorShape::openai;
    case Protocol::gemini_generate:
      return ErrorShape::google;
    case Protocol::none:
      break;
  }
  return otherwise;
}

namespace {

// Google's words for a status (https://cloud.google.com/apis/design/errors).
const char* google_status(int status) {
  switch (status) {
    case 400:
    case 411:
    case 413:
    case 415:
    case 431:
      return "INVALID_ARGUMENT";
    case 401:
      return "UNAUTHENTICATED";
    case 402:
    case 403:
      return "PERMISSION_DENIED";
    case 408:
      return "DEADLINE_EXCEEDED";
    case 422:
      return "FAILED_PRECONDITION";
    default:
      return "UNAVAILABLE";
  }
}

std::string body_of(const Refusal& refusal, ErrorShape shape) {
  JsonWriter body;
  body.begin_object();
  switch (shape) {
    case ErrorShape::anthropic:
      body.field("type", "error").key("error").begin_object();
      body.field("type", refusal.kind).field("message", refusal.why).end_object();
      break;
    case ErrorShape::openai:
      body.key("error").begin_object().field("message", refusal.why).field("type", refusal.kind);
      body.key("param").null().field("code", refusal.kind).end_object();
      break;
    case ErrorShape::google:
      body.key("error").begin_object().field("code", std::int64_t{refusal.status}).field("message", refusal.why);
      body.field("status", google_status(refusal.status)).field("type", refusal.kind).end_object();
      break;
  }
  body.end_object();
  return body.text();
}

}  // namespace

std::string render_refusal(const Refusal& refusal, ErrorShape shape, bool with_body) {
  const std::string body = body_of(refusal, shape);
  std::string answer =
      "HTTP/1.1 " + std::to_string(refusal.status) + " " + reason_phrase(refusal.status) +
      "\r\ncontent-type: application/json\r\nx-should-retry: false\r\ncontent-length: " + std::to_string(body.size()) +
      "\r\nconnection: close\r\n" +
      (refusal.status == 407 ? "proxy-authenticate: Basic realm=\"sanduk\"\r\n\r\n" : "\r\n");
  if (with_body) answer += body;
  return answer;
}

const char* reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 402:
      return "Payment Required";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 407:
      return "Proxy Authentication Required";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 529:
      return "Overloaded";
    default:
      return "Status";
  }
}

}  // namespace sanduk
