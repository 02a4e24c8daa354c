#include "resolve/placeholders.h"

#include <functional>

#include "base/json.h"
#include "base/text.h"

namespace sanduk {
namespace {

bool is_first(char c) { return c >= 'a' && c <= 'z'; }
bool is_inner(char c) { return is_first(c) || (c >= '0' && c <= '9') || c == '_'; }

// Calls `found` for each {name}, `between` for the text around.
void scan(const std::string& text, const std::function<void(const std::string& name)>& found,
          const std::function<void(std::string_view)>& between) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at + 2 < text.size(); ++at) {
    // ${name} is a shell's, or a script's.
    if (text[at] != '{' || !is_first(text[at + 1]) || (at > 0 && text[at - 1] == '$')) continue;
    std::size_t end = at + 1;
    while (end < text.size() && is_inner(text[end])) ++end;
    if (end == text.size() || text[end] != '}') continue;
    between(std::string_view(text).substr(begin, at - begin));
    found(text.substr(at + 1, end - at - 1));
    begin = end + 1;
    at = end;
  }
  between(std::string_view(text).substr(begin));
}

bool is_json_object(std::string_view text) {
  text = trim(text);
  return text.size() > 1 && text[0] == '{' && (text[1] == '"' || text[1] == '\n' || text[1] == ' ');
}

}  // namespace

std::vector<std::string> placeholders_in(const std::string& text) {
  std::vector<std::string> names;
  scan(
      text, [&](const std::string& name) { names.push_back(name); }, [](std::string_view) {});
  return names;
}

std::string fill(const std::string& text, const Values& values) {
  const bool json = is_json_object(text);
  std::string result;
  const auto put = [&](const std::string& name) {
    const auto value = values.find(name);
    if (value == values.end()) {
      result += "{" + name + "}";
    } else if (json) {
      const std::string quoted = json_string(value->second);
      result += quoted.substr(1, quoted.size() - 2);
    } else {
      result += value->second;
    }
  };
  scan(text, put, [&](std::string_view between) { result += between; });
  return result;
}

}  // namespace sanduk
