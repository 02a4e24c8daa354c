// One validating pass over JSON that builds nothing: it finds the wanted members of one object and where their values
// stand, so that a number can be replaced and every other byte stays as it is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sanduk {

enum class JsonKind { object, array, string, number, boolean, null };

// A value's extent in the scanned text.
struct JsonValue {
  JsonKind kind = JsonKind::null;
  std::size_t begin = 0;
  std::size_t end = 0;

  std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
};

struct JsonMember {
  std::string name;   // without escapes
  bool exact = true;  // false: equal to a wanted name only when case is ignored, as some parsers do
  std::size_t key_begin = 0;
  JsonValue value;
};

struct JsonFault {
  std::string why;
  std::size_t at = 0;
};

struct JsonObject {
  std::vector<JsonMember> members;  // the wanted ones in order, repeated ones as often as they come
  std::size_t inside = 0;           // the place behind "{"
  bool empty = false;
};

// `text` must be one object and nothing else: RFC 8259, UTF-8, no byte order mark, at most `depth` levels. A key of the
// object that holds U+0000 is a fault: some parsers would end it there. `wanted` empty: all members.
std::optional<JsonFault> scan_object(std::string_view text, std::span<const std::string_view> wanted, std::size_t depth,
                                     JsonObject& object);

// The elements of an array, at most `most`.
std::optional<JsonFault> scan_array(std::string_view text, std::size_t depth, std::size_t most,
                                    std::vector<JsonValue>& elements);

// The text of a valid string literal, quotes included. Nothing where a surrogate stands alone.
std::optional<std::string> unescape_json(std::string_view literal);

}  // namespace sanduk
