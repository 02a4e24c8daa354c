#include "relay/json_scanner.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"
#include "relay/json_text.h"

namespace sanduk {
namespace {

constexpr std::size_t most_depth = 1024;
constexpr std::size_t most_repeats = 64;  // of wanted keys: more cannot be meant, and must not fill memory

// ASCII letters in lower case, with the two other characters that fold to an ASCII letter (U+212A, U+017F).
std::string folded(std::string_view name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (name.substr(i).starts_with("\xE2\x84\xAA")) {
      result += 'k';
      i += 2;
    } else if (name.substr(i).starts_with("\xC5\xBF")) {
      result += 's';
      i += 1;
    } else {
      result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return result;
}

class Scanner {
 public:
  Scanner(std::string_view text, std::size_t depth)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), depth_(std::min(depth, most_depth)) {}

  bool object(std::span<const std::string_view> wanted, JsonObject& result) {
    skip_blanks();
    if (!take('{')) return fail("not a JSON object");
    result.inside = position();
    skip_blanks();
    if (take('}')) {
      result.empty = true;
      return ends();
    }
    for (;;) {
      const char* const key = at_;
      if (!string()) return false;
      std::optional<JsonMember> member = judge_key({key, static_cast<std::size_t>(at_ - key)}, wanted);
      if (!ok()) return false;
      if (!colon()) return false;
      JsonValue found;
      if (!value(found)) return false;
      if (member) {
        member->key_begin = static_cast<std::size_t>(key - begin_);
        member->value = found;
        result.members.push_back(std::move(*member));
        if (!wanted.empty() && result.members.size() > most_repeats) return fail("a key repeated without end");
      }
      skip_blanks();
      if (take('}')) return ends();
      if (!take(',')) return fail("expected ',' or '}'");
      skip_blanks();
    }
  }

  bool array(std::vector<JsonValue>& elements, std::size_t most) {
    skip_blanks();
    if (!take('[')) return fail("not a JSON array");
    skip_blanks();
    if (take(']')) return ends();
    for (;;) {
      JsonValue found;
      if (!value(found)) return false;
      if (elements.size() >= most) return fail("too many elements");
      elements.push_back(found);
      skip_blanks();
      if (take(']')) return ends();
      if (!take(',')) return fail("expected ',' or ']'");
      skip_blanks();
    }
  }

  JsonFault fault() const { return {why_, position()}; }

 private:
  bool ok() const { return why_ == nullptr; }
  std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }

  bool fail(const char* why) {
    if (why_ == nullptr) why_ = why;
    return false;
  }

  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  bool ends() {
    skip_blanks();
    return at_ == end_ || fail("bytes after the end of the JSON value");
  }

  bool colon() {
    skip_blanks();
    if (!take(':')) return fail("expected ':'");
    skip_blanks();
    return true;
  }

  bool string() {
    if (!take('"')) return fail("expected a string");
    const char* why = nullptr;
    at_ = skip_json_string(at_, end_, &why);
    return why == nullptr || fail(why);
  }

  bool literal(std::string_view word) {
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, word.size()) != word) {
      return fail("not a JSON value");
    }
    at_ += word.size();
    return true;
  }

  bool scalar(JsonKind& kind) {
    switch (at_ == end_ ? '\0' : *at_) {
      case '"':
        kind = JsonKind::string;
        return string();
      case 't':
        kind = JsonKind::boolean;
        return literal("true");
      case 'f':
        kind = JsonKind::boolean;
        return literal("false");
      case 'n':
        kind = JsonKind::null;
        return literal("null");
      default:
        break;
    }
    kind = JsonKind::number;
    const char* why = nullptr;
    at_ = skip_json_number(at_, end_, &why);
    return why == nullptr || fail(why);
  }

  // One value of any depth, without recursion: `closers` holds what ends each open level.
  bool value(JsonValue& found) {
    std::array<char, most_depth> closers;  // NOLINT: only what is pushed is read
    std::size_t open = 0;
    found.begin = position();
    bool first = true;
    for (;;) {
      JsonKind kind = JsonKind::null;
      const char c = at_ == end_ ? '\0' : *at_;
      if (c == '{' || c == '[') {
        kind = c == '{' ? JsonKind::object : JsonKind::array;
        if (open + 1 >= depth_) return fail("nested too deeply");
        ++at_;
        closers[open++] = c == '{' ? '}' : ']';
      } else if (!scalar(kind)) {
        return false;
      }
      if (first) found.kind = kind;
      first = false;
      bool opened = c == '{' || c == '[';
      // Close what ends here, until a next value must follow.
      for (;;) {
        if (open == 0) {
          found.end = position();
          return true;
        }
        skip_blanks();
        const char closer = closers[open - 1];
        if (take(closer)) {
          --open;
          opened = false;
          continue;
        }
        if (!opened && !take(',')) return fail(closer == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
        if (!opened) skip_blanks();
        if (closer == '}' && (!string() || !colon())) return false;
        break;
      }
    }
  }

  std::optional<JsonMember> judge_key(std::string_view literal, std::span<const std::string_view> wanted) {
    const bool escaped = literal.find('\\') != std::string_view::npos;
    JsonMember member;
    if (escaped) {
      member.name = unescape_json(literal).value_or("\xEF\xBF\xBD");
      if (member.name.find('\0') != std::string::npos) {
        fail("U+0000 in a key");
        return std::nullopt;
      }
    } else {
      const std::string_view plain = literal.substr(1, literal.size() - 2);
      if (!wanted.empty() && plain.size() > 32) return std::nullopt;
      member.name = plain;
    }
    if (wanted.empty()) return member;
    if (std::find(wanted.begin(), wanted.end(), member.name) != wanted.end()) return member;
    const std::string lower = folded(member.name);
    const auto is_same = [&](std::string_view name) { return equal_ignoring_case(name, lower); };
    if (std::none_of(wanted.begin(), wanted.end(), is_same)) return std::nullopt;
    member.exact = false;
    return member;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t depth_;
  const char* why_ = nullptr;
};

}  // namespace

std::optional<JsonFault> scan_object(std::string_view text, std::span<const std::string_view> wanted, std::size_t depth,
                                     JsonObject& object) {
  Scanner scanner(text, depth);
  if (scanner.object(wanted, object)) return std::nullopt;
  return scanner.fault();
}

std::optional<JsonFault> scan_array(std::string_view text, std::size_t depth, std::size_t most,
                                    std::vector<JsonValue>& elements) {
  Scanner scanner(text, depth);
  if (scanner.array(elements, most)) return std::nullopt;
  return scanner.fault();
}

}  // namespace sanduk
