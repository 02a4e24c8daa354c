#include "agents/copilot_reader.h"

#include "agents/json_lines_reader.h"

namespace sanduk {
namespace {

// `copilot --output-format json`: events of a session, each with its `data`, and a result at the end. It tells no
// tokens with an endpoint of one's own.
class CopilotReader : public JsonLinesReader {
 public:
  using JsonLinesReader::JsonLinesReader;

 private:
  void take(const std::string& type, const Object& record) override {
    const Object data = json_object(record, "data");
    if (type == "assistant.turn_start") add(result_.turns, 1);
    if (type == "assistant.message") {
      result_.model = json_text(data, "model").value_or(result_.model);
      say(json_text(data, "content").value_or(""));
    }
    if (type == "assistant.usage") {
      add(result_.input_tokens, json_integer(data, "inputTokens"));
      add(result_.output_tokens, json_integer(data, "outputTokens"));
    }
    if (type == "tool.execution_start") {
      tool(json_text(data, "toolName").value_or(""), json_object(data, "arguments"));
    }
    if (type == "tool.execution_complete" && json_boolean(data, "success") == false) {
      error(json_text(json_object(data, "error"), "message").value_or("the tool failed"));
    }
    if (type == "model.call_failure") {
      const std::string status = std::to_string(json_integer(data, "statusCode").value_or(0));
      retry("call failed: " + status + " " + json_text(data, "errorMessage").value_or(""));
    }
    if (type == "session.error") {
      why_ = json_text(data, "message").value_or("error");
      error(why_);
    }
    if (type == "result") take_result(record);
  }

  void take_result(const Object& record) {
    final_record();
    if (json_integer(record, "exitCode").value_or(0) != 0) failed(why_);
  }

  std::string why_;  // of the last error
};

}  // namespace

std::unique_ptr<AgentReader> make_copilot_reader(AgentReader::Listener listener) {
  return std::make_unique<CopilotReader>(std::move(listener));
}

}  // namespace sanduk
