// Hides what looks like a credential in text that is about to be shown.
#pragma once

#include <string>
#include <string_view>

namespace sanduk {

// Whether `value` looks like a literal API key or token: a known prefix, or one long random-looking word.
bool looks_like_key(std::string_view value);

// The stricter test for values that are refused wherever they stand: an issuer's prefix and enough behind it.
bool is_literal_key(std::string_view value);

// Whether a variable or setting of this name holds a credential: …KEY, …TOKEN, …SECRET, …PASSWORD.
bool is_credential_name(std::string_view name);

// `text` with every credential in it replaced by asterisks, character for character, so that columns stay: words that
// look like keys, passwords in URLs, values behind a name that says so.
std::string masked(std::string_view text);

// The same for prose, where "the key: …" names no value: words that look like keys, and passwords in URLs.
std::string masked_words(std::string_view text);

}  // namespace sanduk
