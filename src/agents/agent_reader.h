// Reads what an agent prints: a live trace while it works, a result and numbers at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sanduk {

struct AgentEvent {
  enum class Kind { started, text, tool, retry, error, result };
  Kind kind = Kind::text;
  std::string text;  // what it said; for a tool, a short form of its input; bytes as they came, not yet safe to show
  std::string tool;  // name, for Kind::tool
};

// The agent's own account of itself. Absent numbers were not reported.
struct AgentResult {
  bool final_record = false;  // false: the agent ended without one, which is a failure whatever its exit code
  bool failed = false;        // the final record says so
  std::string text;           // final answer, or the error's words
  std::string model;
  std::optional<std::int64_t> turns;
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> cache_write_tokens;
  std::optional<std::int64_t> cache_read_tokens;
  std::optional<std::int64_t> output_tokens;
  std::optional<double> cost_usd;
};

// One format. Fed with whole output as it comes, in pieces of any size; memory is bounded whatever the agent prints.
class AgentReader {
 public:
  using Listener = std::function<void(const AgentEvent&)>;
  virtual ~AgentReader() = default;
  virtual void feed(std::string_view bytes) = 0;
  // After the last byte.
  virtual AgentResult finish() = 0;
};

// Reader for a format of the table in agent_reader.cpp ("claude-stream-json", "plain"); null for an unknown one.
std::unique_ptr<AgentReader> make_agent_reader(std::string_view format, AgentReader::Listener listener);

// Names of all formats, for the check of descriptors.
std::vector<std::string> agent_reader_formats();

}  // namespace sanduk
