// The tokens of JSON, byte by byte: where a string or a number ends, and what an escaped string says.
#pragma once

#include <string_view>

namespace sanduk {

// `at` stands behind the opening quote; the result stands behind the closing one. Checks escapes, UTF-8 and control
// characters. On a fault sets `*why` and stands where it is.
const char* skip_json_string(const char* at, const char* end, const char** why);

// The first byte of [at, end) that is a quote, a backslash, a control character or not ASCII; `end` if there is none.
const char* skip_plain_text(const char* at, const char* end);

const char* skip_json_number(const char* at, const char* end, const char** why);

}  // namespace sanduk
