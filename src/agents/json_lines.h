// What readers of JSON lines share.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace sanduk {

// The object on `line`; null for anything else. Bytes that are not UTF-8 become "?" rather than cost the record.
Poco::JSON::Object::Ptr parse_record(std::string_view line);

// One line of at most `most` characters: blanks and line ends run together, an ellipsis where it was cut.
std::string short_form(std::string_view text, std::size_t most = 120);

// What a tool was asked to do, from its input: the command, file, pattern … that tells most.
std::string tool_summary(const Poco::JSON::Object::Ptr& input);

}  // namespace sanduk
