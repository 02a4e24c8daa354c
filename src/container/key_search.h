// Finds the real key, or a piece of it, in text that must not hold it.
#pragma once

#include <string_view>

#include "base/secret.h"

namespace sanduk {

// Whether `text` holds any 6 characters in a row of `key`. Pieces that are common to all keys of a provider ("sk-ant-",
// also the start of run tokens) and pieces of lower-case letters, dots and dashes alone (words, as in a made-up key of
// a local server) do not count unless the whole key is there. A key shorter than 6 characters counts where it is all of
// a variable's value or all of `text`.
bool holds_piece_of(std::string_view text, const Secret& key);

}  // namespace sanduk
