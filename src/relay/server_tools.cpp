#include "relay/server_tools.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace sanduk {
namespace {

constexpr std::size_t most_tools = 4096;

// Kinds of tools that the client runs, by protocol (the providers' references of their tool types); a name that ends in
// "_" stands for all of its versions.
bool is_clients_own(std::string_view type, Protocol protocol) {
  static constexpr std::array<std::string_view, 8> anthropic = {
      "custom", "bash_", "text_editor_", "computer_", "memory_", "tool_search_tool_", "str_replace_", "local_"};
  static constexpr std::array<std::string_view, 6> openai = {"function",    "custom",   "local_shell",
                                                             "apply_patch", "computer", "computer_use_preview"};
  const auto is = [&](std::string_view known) {
    return known.ends_with('_') ? type.starts_with(known) : type == known;
  };
  if (protocol == Protocol::anthropic_messages) return std::any_of(anthropic.begin(), anthropic.end(), is);
  return std::any_of(openai.begin(), openai.end(), is);
}

bool is_empty(std::string_view container) {
  return container.size() >= 2 && container.find_first_not_of(" \t\r\n", 1) == container.size() - 1;
}

// One tool as an object; nothing: the client's own.
std::optional<std::string> judge_tool(std::string_view tool, Protocol protocol, std::size_t depth) {
  static constexpr std::array<std::string_view, 1> type_only = {"type"};
  JsonObject members;
  if (protocol == Protocol::gemini_generate) {
    // Each member is a tool of its own.
    if (scan_object(tool, {}, depth, members)) return "a tool that cannot be read";
    for (const JsonMember& one : members.members) {
      if (one.name != "functionDeclarations" && one.name != "function_declarations") return one.name;
    }
    return std::nullopt;
  }
  if (scan_object(tool, type_only, depth, members)) return "a tool that cannot be read";
  if (members.members.empty()) {
    return protocol == Protocol::anthropic_messages ? std::nullopt
                                                    : std::optional<std::string>("a tool without a type");
  }
  const JsonMember& type = members.members.front();
  const std::optional<std::string> name =
      type.value.kind == JsonKind::string ? unescape_json(type.value.in(tool)) : std::nullopt;
  if (members.members.size() > 1 || !type.exact || !name) return "a tool whose type is not plain";
  return is_clients_own(*name, protocol) ? std::nullopt : name;
}

}  // namespace

std::optional<std::string> server_tool_in(std::string_view body, const JsonObject& object, Protocol protocol,
                                          std::size_t depth) {
  // A stored prompt brings tools of its own.
  static constexpr std::array<std::string_view, 4> whole_fields = {"mcp_servers", "web_search_options", "plugins",
                                                                   "prompt"};
  for (const JsonMember& one : object.members) {
    if (one.value.kind == JsonKind::null) continue;
    const std::string_view text = one.value.in(body);
    const bool whole = std::find(whole_fields.begin(), whole_fields.end(), one.name) != whole_fields.end();
    if (whole && (one.name == "web_search_options" || !is_empty(text))) return one.name;
    if (one.name != "tools") continue;
    std::vector<JsonValue> tools;
    if (one.value.kind != JsonKind::array || scan_array(text, depth, most_tools, tools))
      return "tools that are no list";
    for (const JsonValue& tool : tools) {
      if (tool.kind != JsonKind::object) return "a tool that is no object";
      if (std::optional<std::string> name = judge_tool(tool.in(text), protocol, depth)) return name;
    }
  }
  return std::nullopt;
}

}  // namespace sanduk
