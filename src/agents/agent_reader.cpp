#include "agents/agent_reader.h"

#include "agents/claude_reader.h"
#include "agents/codex_reader.h"
#include "agents/copilot_reader.h"
#include "agents/gemini_reader.h"
#include "agents/hax_reader.h"
#include "agents/opencode_reader.h"
#include "agents/pi_reader.h"
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
    {"codex-json", make_codex_reader},
    {"copilot-json", make_copilot_reader},
    {"gemini-stream-json", make_gemini_reader},
    {"hax-json", make_hax_reader},
    {"opencode-json", make_opencode_reader},
    {"pi-json", make_pi_reader},
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
