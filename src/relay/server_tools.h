// Tools that the provider runs on its own machines, where no box holds them: found by their names in a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plan/plan.h"
#include "relay/json_scanner.h"

namespace sanduk {

// The first such tool that the request offers, by name; nothing when all tools are the client's own. A kind of tool
// that is not known to be the client's counts as the provider's. `object`: the members of `body`.
std::optional<std::string> server_tool_in(std::string_view body, const JsonObject& object, Protocol protocol,
                                          std::size_t depth);

}  // namespace sanduk
