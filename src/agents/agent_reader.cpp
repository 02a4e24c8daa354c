#include "agents/agent_reader.h"

#include "agents/claude_reader.h"
#include "agents/plain_reader.h"

namespace sanduk {
namespace {

struct Format {
  std::string_view name;
  std::unique_ptr<AgentReader> (*make)(AgentReader::Listener listener);
};

// Every output format, each in a file of its own.
constexpr Format formats[] = {
    {"claude-stream-json", make_claude_reader},
    {"plain", make_plain_reader},
};

}  // namespace

std::unique_ptr<AgentReader> make_agent_reader(std::string_view name, AgentReader::Listener listener) {
  for (const Format& format : formats) {
    if (format.name == name) return format.make(std::move(listener));
  }
  return nullptr;
}

std::vector<std::string> agent_reader_formats() {
  std::vector<std::string> names;
  for (const Format& format : formats) names.emplace_back(format.name);
  return names;
}

}  // namespace sanduk
