#include "agents/pi_reader.h"

#include "agents/json_lines_reader.h"

namespace sanduk {
namespace {

// `pi --mode json`: messages and tools as they end. It exits 0 even when the model could not be asked: how the last
// message ended says what became of the work.
class PiReader : public JsonLinesReader {
 public:
  using JsonLinesReader::JsonLinesReader;

 private:
  void take(const std::string& type, const Object& record) override {
    if (type == "message_end") take_message(json_object(record, "message"));
    if (type == "tool_execution_start") {
      tool(json_text(record, "toolName").value_or(""), json_object(record, "args"));
    }
    if (type == "tool_execution_end" && json_boolean(record, "isError") == true) error("the tool failed");
    if (type == "auto_retry_start") {
      retry("attempt " + std::to_string(json_integer(record, "attempt").value_or(0)) + " of " +
            std::to_string(json_integer(record, "maxAttempts").value_or(0)) + ": " +
            json_text(record, "errorMessage").value_or(""));
    }
    if (type == "agent_end") ended_ = true;
    if (type == "agent_start") ended_ = false;  // it tries again
  }

  void take_message(const Object& message) {
    if (json_text(message, "role") != "assistant") return;
    const Object usage = json_object(message, "usage");
    if (result_.model.empty()) started(json_text(message, "model").value_or(""));
    for (const Object& block : json_objects(message, "content")) {
      if (json_text(block, "type") == "text") say(json_text(block, "text").value_or(""));
    }
    stop_ = json_text(message, "stopReason").value_or("");
    why_ = json_text(message, "errorMessage").value_or("");
    if (stop_ == "error") {
      error(why_);
      return;
    }
    add(result_.turns, 1);
    add(result_.input_tokens, json_integer(usage, "input"));
    add(result_.output_tokens, json_integer(usage, "output"));
    add(result_.cache_read_tokens, json_integer(usage, "cacheRead"));
    add(result_.cache_write_tokens, json_integer(usage, "cacheWrite"));
    // A model without a price costs it nothing: that is no number.
    const auto cost = json_number(json_object(usage, "cost"), "total");
    if (cost && *cost > 0) add(result_.cost_usd, cost);
  }

  void end() override {
    if (!ended_) return;
    final_record();
    if (stop_ == "error" || stop_ == "aborted") failed(why_.empty() ? "the last message was " + stop_ : why_);
  }

  bool ended_ = false;
  std::string stop_;  // of the last message
  std::string why_;
};

}  // namespace

std::unique_ptr<AgentReader> make_pi_reader(AgentReader::Listener listener) {
  return std::make_unique<PiReader>(std::move(listener));
}

}  // namespace sanduk
