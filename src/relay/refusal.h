// Our own "no": a stable kind, words, and the shape in which the client's library understands it.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace sanduk {

struct Refusal {
  int status = 0;
  std::string kind;  // "forbidden", "invalid_request_error" …
  std::string why;   // words for people and agents; never a secret
};

Refusal bad_request(std::string why);           // 400
Refusal no_token(std::string why);              // 401
Refusal over_budget(std::string why);           // 402
Refusal forbidden(std::string why);             // 403
Refusal no_proxy_token(std::string why);        // 407
Refusal timed_out(std::string why);             // 408
Refusal no_answer_recorded(std::string why);    // 422
Refusal length_required();                      // 411
Refusal too_large(std::string why);             // 413
Refusal unsupported_encoding(std::string why);  // 415
Refusal head_too_large(std::string why);        // 431
Refusal upstream_failed(std::string why);       // 502
Refusal not_open(std::string why);              // 503

enum class ErrorShape { anthropic, openai, google };

// The shape for requests whose route is not known (yet): the one of the plan's completions.
ErrorShape error_shape_of(const std::vector<Route>& routes);
ErrorShape error_shape_of(Protocol protocol, ErrorShape otherwise);

// Status line, headers and body. Always ends the connection. `with_body` false: an answer to HEAD.
std::string render_refusal(const Refusal& refusal, ErrorShape shape, bool with_body);

const char* reason_phrase(int status);

}  // namespace sanduk
