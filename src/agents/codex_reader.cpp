#include "agents/codex_reader.h"

#include "agents/json_lines_reader.h"

namespace sanduk {
namespace {

// `codex exec --json`: items that start and complete, one turn a task, its usage at its end. Input tokens include the
// cached ones.
class CodexReader : public JsonLinesReader {
 public:
  using JsonLinesReader::JsonLinesReader;

 private:
  void take(const std::string& type, const Object& record) override {
    if (type == "item.started") take_started(json_object(record, "item"));
    if (type == "item.completed") take_completed(json_object(record, "item"));
    if (type == "turn.completed") take_end(json_object(record, "usage"));
    if (type == "turn.failed") {
      final_record();
      failed(json_text(json_object(record, "error"), "message").value_or(""));
    }
    // Also what it goes on after: "Reconnecting... 2/5 (why)".
    if (type == "error") {
      const std::string words = json_text(record, "message").value_or("error");
      words.starts_with("Reconnecting") ? retry(words) : error(words);
    }
  }

  void take_started(const Object& item) {
    const std::string type = json_text(item, "type").value_or("");
    if (type == "command_execution") tool("shell", item);
    if (type == "web_search") tool("web_search", item);
    if (type == "mcp_tool_call") tool(json_text(item, "tool").value_or(""), json_object(item, "arguments"));
  }

  void take_completed(const Object& item) {
    const std::string type = json_text(item, "type").value_or("");
    if (type == "agent_message") say(json_text(item, "text").value_or(""));
    if (type == "error") error(json_text(item, "message").value_or("error"));
    if (type == "file_change") {
      for (const Object& change : json_objects(item, "changes")) tool("edit", change);
    }
    const std::int64_t code = json_integer(item, "exit_code").value_or(0);
    if (type == "command_execution" && code != 0) error("exit code " + std::to_string(code));
  }

  void take_end(const Object& usage) {
    final_record();
    add(result_.input_tokens, json_integer(usage, "input_tokens"));
    add(result_.cache_read_tokens, json_integer(usage, "cached_input_tokens"));
    add(result_.cache_write_tokens, json_integer(usage, "cache_write_input_tokens"));
    add(result_.output_tokens, json_integer(usage, "output_tokens"));
  }
};

}  // namespace

std::unique_ptr<AgentReader> make_codex_reader(AgentReader::Listener listener) {
  return std::make_unique<CodexReader>(std::move(listener));
}

}  // namespace sanduk
