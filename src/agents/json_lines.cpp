#include "agents/json_lines.h"

#include <algorithm>

#include "base/text.h"

namespace sanduk {
namespace {

std::size_t sequence_length(unsigned char lead) { return lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2; }

std::string with_valid_utf8(std::string_view text) {
  std::string valid;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(static_cast<unsigned char>(text[at]));
    if (is_valid_utf8(text.substr(at, length))) {
      valid += text.substr(at, length);
      at += length;
    } else {
      valid += '?';
      ++at;
    }
  }
  return valid;
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

Poco::JSON::Object::Ptr parse_record(std::string_view line) {
  line = trim(line);
  if (!line.starts_with('{')) return {};
  Poco::JSON::Object::Ptr record =
      is_valid_utf8(line) ? parse_json_object(line) : parse_json_object(with_valid_utf8(line));
  return record;
}

std::string short_form(std::string_view text, std::size_t most) {
  std::string line;
  std::size_t characters = 0;
  bool blank = false;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      blank = !line.empty();
      ++at;
      continue;
    }
    if (characters + (blank ? 1 : 0) + 1 > most - 1) {
      // One place is left: enough for the last character, too little for more.
      const std::string_view rest = trim(text.substr(at));
      const std::size_t length = sequence_length(static_cast<unsigned char>(text[at]));
      if (blank || rest.size() > length) return line + "…";
    }
    if (blank) line += ' ', ++characters;
    blank = false;
    const std::size_t length = std::min(sequence_length(static_cast<unsigned char>(text[at])), text.size() - at);
    line += text.substr(at, length);
    at += length;
    ++characters;
  }
  return line;
}

std::string tool_summary(const Poco::JSON::Object::Ptr& input) {
  for (const char* name : {"command", "cmd", "file_path", "filePath", "notebook_path", "path", "pattern", "query",
                           "url", "skill", "description", "prompt"}) {
    if (const std::optional<std::string> value = json_text(input, name); value && !value->empty()) {
      return short_form(*value);
    }
  }
  return "";
}

}  // namespace sanduk
