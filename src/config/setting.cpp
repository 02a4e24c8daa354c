#include "config/setting.h"

#include "base/text.h"

namespace sanduk {

std::string origin_text(const Origin& origin) {
  if (origin.layer == Layer::default_value || !origin.span.known()) return "default";
  if (origin.layer == Layer::flag) {
    // The command line is one source; the flag's word is what the user knows it by.
    const std::string line = split(origin.span.source->text, '\n').at(0);
    const std::size_t end = std::min(origin.span.column - 1, line.size());
    const std::size_t flag = line.rfind(" -", end);
    if (flag != std::string::npos)
      return line.substr(flag + 1, std::min(line.find_first_of(" =", flag + 1), line.size()) - flag - 1);
    return "command line";
  }
  return origin.span.source->name + ":" + std::to_string(origin.span.line);
}

std::vector<std::string> texts(const TextList& list) {
  std::vector<std::string> result;
  for (const ListItem& item : list) result.push_back(item.text);
  return result;
}

}  // namespace sanduk
