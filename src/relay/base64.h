// Base64 as of RFC 4648, strict.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sanduk {

std::string encode_base64(std::string_view bytes);
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace sanduk
