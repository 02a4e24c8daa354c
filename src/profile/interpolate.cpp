#include "profile/interpolate.h"

#include <algorithm>
#include <array>

#include "diagnostics/mask.h"

namespace sanduk {
namespace {

// Settings in which a variable of the host may stand. Restrictions are not among them: what a profile allows must be
// readable in the profile.
constexpr std::array interpolated = {
    "name",           "task",           "task_file",        "provider.cassette", "provider.upstream",
    "agent.model",    "agent.args",     "agent.env",        "image.ref",         "image.containerfile",
    "workspace.path", "agent.base_url", "workspace.mounts", "log.dir",           "log.record",
    "agent.name"};

bool may_hold_variables(const std::string& path) {
  return std::any_of(interpolated.begin(), interpolated.end(),
                     [&](const std::string& allowed) { return path == allowed || path.starts_with(allowed + "."); });
}

class Interpolation {
 public:
  Interpolation(World& world, Diagnostics& problems) : world_(world), problems_(problems) {}

  void walk(Node& node, const std::string& path) {
    for (Node& item : node.items) walk(item, path);
    for (Entry& entry : node.entries) walk(entry.value, path.empty() ? entry.key : path + "." + entry.key);
    if (node.kind != Node::Kind::string || node.text.find('$') == std::string::npos) return;
    if (may_hold_variables(path)) {
      node.text = replaced(node);
    } else if (node.text.find("${") != std::string::npos) {
      problems_.add(error("no-variables-here", "`" + path + "` takes no ${…} variables")
                        .at(node.span)
                        .with_help("write the value itself: what a profile allows must be readable in it"));
    }
  }

 private:
  std::string replaced(const Node& node) {
    const std::string& text = node.text;
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '$' || at + 1 >= text.size()) {
        result += text[at];
      } else if (text[at + 1] == '$') {
        result += '$';
        ++at;
      } else if (text[at + 1] == '{') {
        const std::size_t end = text.find('}', at);
        if (end == std::string::npos) {
          problems_.add(error("bad-variable", "`${` without its `}`")
                            .at(node.span)
                            .with_help("write $$ for a plain dollar sign"));
          return result;
        }
        result += value(text.substr(at + 2, end - at - 2), node);
        at = end;
      } else {
        result += '$';
      }
    }
    return result;
  }

  std::string value(const std::string& inside, const Node& node) {
    const std::size_t colon = inside.find(":-");
    const std::string name = inside.substr(0, colon);
    const bool is_name = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                         std::all_of(name.begin(), name.end(), [](char c) {
                           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
                         });
    if (!is_name) {
      problems_.add(error("bad-variable", "`${" + masked(inside) + "}` does not name a variable")
                        .at(node.span)
                        .with_help("write ${NAME}, ${NAME:-default}, or $$ for a plain dollar sign"));
      return "";
    }
    if (is_credential_name(name)) {
      problems_.add(error("literal-key", "`${" + name + "}` would put a credential into the profile")
                        .at(node.span)
                        .with_help("keys come from `provider.key = \"env:" + name + "\"` and never enter the box"));
      return "";
    }
    const std::optional<std::string> found = world_.variable(name);
    if (found && (!found->empty() || colon == std::string::npos)) return *found;
    if (colon != std::string::npos) return inside.substr(colon + 2);
    problems_.add(error("unset-variable", "the variable `" + name + "` is not set")
                      .at(node.span)
                      .with_help("set it, or give a default: ${" + name + ":-value}"));
    return "";
  }

  World& world_;
  Diagnostics& problems_;
};

}  // namespace

void interpolate(Document& document, World& world, Diagnostics& problems) {
  Interpolation(world, problems).walk(document.root, "");
}

}  // namespace sanduk
