#include "agents/opencode_reader.h"

#include "agents/json_lines_reader.h"

namespace sanduk {
namespace {

// `opencode run --format json`: parts as they are done. A step is a model call; the work is done with a step that asks
// for no tool, and has failed with any record that holds an error.
class OpencodeReader : public JsonLinesReader {
 public:
  using JsonLinesReader::JsonLinesReader;

 private:
  void take(const std::string& type, const Object& record) override {
    if (const Object fault = json_object(record, "error"); !fault.isNull()) {
      take_error(fault);
      return;
    }
    const Object part = json_object(record, "part");
    if (type == "text") say(json_text(part, "text").value_or(""));
    if (type == "tool_use") take_tool(part);
    if (type == "step_finish") take_step(part);
  }

  void take_error(const Object& fault) {
    const std::string name = json_text(fault, "name").value_or("error");
    const std::string words = json_text(json_object(fault, "data"), "message").value_or(name);
    error(words);
    final_record();
    failed(words);
  }

  void take_tool(const Object& part) {
    const Object state = json_object(part, "state");
    tool(json_text(part, "tool").value_or(""), json_object(state, "input"));
    if (json_text(state, "status") == "error") error(json_text(state, "error").value_or("the tool failed"));
  }

  void take_step(const Object& part) {
    const Object tokens = json_object(part, "tokens");
    const Object cache = json_object(tokens, "cache");
    add(result_.turns, 1);
    add(result_.input_tokens, json_integer(tokens, "input"));
    add(result_.output_tokens, json_integer(tokens, "output"));
    add(result_.output_tokens, json_integer(tokens, "reasoning"));
    add(result_.cache_read_tokens, json_integer(cache, "read"));
    add(result_.cache_write_tokens, json_integer(cache, "write"));
    // A model that its price list does not know costs it nothing: that is no number.
    if (const auto cost = json_number(part, "cost"); cost && *cost > 0) add(result_.cost_usd, cost);
    if (json_text(part, "reason") != "tool-calls") final_record();
  }
};

}  // namespace

std::unique_ptr<AgentReader> make_opencode_reader(AgentReader::Listener listener) {
  return std::make_unique<OpencodeReader>(std::move(listener));
}

}  // namespace sanduk
