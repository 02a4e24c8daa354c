// Small operations on text that the standard library lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sanduk {

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string lower(std::string_view text);
bool equal_ignoring_case(std::string_view left, std::string_view right);
std::string replace_all(std::string text, std::string_view from, std::string_view to);

// A whole decimal number, digits only; nothing on a sign, a blank, an overflow or anything else.
std::optional<std::int64_t> parse_decimal(std::string_view text);

// Damerau's edit distance (a swap of neighbours counts once).
std::size_t edit_distance(std::string_view left, std::string_view right);

// The candidate that was probably meant by `word`, if one is near enough.
std::optional<std::string> closest(std::string_view word, const std::vector<std::string>& candidates);

bool is_valid_utf8(std::string_view text);

// `text` safe to show on a terminal: C0, C1, DEL and bidirectional controls and broken UTF-8 become "?" or, for tab and
// newline when `keep_lines`, stay. Nothing that a terminal obeys comes out.
std::string printable(std::string_view text, bool keep_lines = false);

// "1.5 MiB"-like and "2m 05s"-like words for people.
std::string human_bytes(std::uint64_t bytes);
std::string human_seconds(double seconds);

// Lower-case hexadecimal.
std::string hex(std::string_view bytes);

// A word quoted for a POSIX shell, only where it must be.
std::string shell_quoted(std::string_view word);

}  // namespace sanduk
