#include "config/assign.h"

#include "diagnostics/mask.h"

namespace sanduk {
namespace {

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string table_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string in_table(const std::string& parent) { return parent.empty() ? "at the top level" : "in [" + parent + "]"; }

// Keys and tables that stand directly in `parent`.
std::vector<std::string> neighbours(const std::string& parent, const KnownKeys& keys) {
  std::vector<std::string> result;
  for (const std::string& path : keys.paths) {
    std::string_view rest = path;
    if (!parent.empty()) {
      if (!rest.starts_with(parent + ".")) continue;
      rest.remove_prefix(parent.size() + 1);
    }
    const std::string word(rest.substr(0, rest.find('.')));
    if (std::find(result.begin(), result.end(), word) == result.end()) result.push_back(word);
  }
  return result;
}

}  // namespace

Diagnostic unknown_key(const Entry& entry, const std::string& parent, const KnownKeys& keys) {
  Diagnostic problem =
      error("unknown-key", "unknown key `" + masked(entry.key) + "` " + in_table(parent)).at(entry.key_span);
  if (entry.key.find('.') != std::string::npos) {
    return problem.with_help("write a table for each part instead of a dot inside a quoted key");
  }
  // The right key in the wrong table says more than a near word in this one.
  for (const std::string& path : keys.paths) {
    if (last_part(path) == entry.key && table_of(path) != parent) {
      return problem.with_help("`" + entry.key + "` belongs " + in_table(table_of(path)));
    }
  }
  if (const std::optional<std::string> near = closest(entry.key, neighbours(parent, keys))) {
    return problem.with_help("did you mean `" + *near + "`?");
  }
  std::vector<std::string> all_last;
  for (const std::string& path : keys.paths) all_last.push_back(last_part(path));
  if (const std::optional<std::string> near = closest(entry.key, all_last)) {
    const auto at = static_cast<std::size_t>(std::find(all_last.begin(), all_last.end(), *near) - all_last.begin());
    return problem.with_help("did you mean `" + *near + "` " + in_table(table_of(keys.paths[at])) + "?");
  }
  return problem.with_help("known keys " + in_table(parent) + ": " + join(neighbours(parent, keys), ", "));
}

Diagnostic not_allowed(const Node& node, const std::string& path, const std::vector<std::string>& allowed) {
  Diagnostic problem = error("bad-value", "`" + path + "` cannot be `" + masked(node.text) + "`").at(node.span);
  const std::optional<std::string> near = closest(node.text, allowed);
  return problem.with_help((near ? "did you mean `" + *near + "`? " : "") + "it is one of: " + join(allowed, ", "));
}

}  // namespace sanduk
