// Which headers go on, in both directions, and with what put in their place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/secret.h"
#include "plan/plan.h"
#include "relay/answer.h"
#include "relay/http_head.h"

namespace sanduk {

// A header that carries a credential for some provider: never passed on, whatever the provider.
bool is_credential(std::string_view name);

// "gzip" where the client takes it, else "identity": what the usage reader can read.
std::string_view narrowed_encoding(const Headers& headers);

// "%6bey" as "key". A broken escape stays as it is.
std::string percent_decoded(std::string_view text);

// The query names a parameter that carries a credential for some provider.
bool query_has_credential(std::string_view query);

// "host" or "host:port", as a Host header has it.
std::string host_header(const Upstream& target);

// The head of the request to the provider, the key included.
std::string request_head(const Question& question, const PlannedRelay& plan, const Secret& key);

// How the body goes to the client.
enum class ClientFraming { none, length, chunked, until_close };

struct ForwardedHead {
  std::string text;
  ClientFraming framing = ClientFraming::none;
  bool keep_alive = false;
};

// The head of the answer to the client.
ForwardedHead response_head(const ResponseHead& head, const RequestHead& request);

}  // namespace sanduk
