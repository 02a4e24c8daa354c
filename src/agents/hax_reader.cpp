#include "agents/hax_reader.h"

#include "agents/json_lines_reader.h"

namespace sanduk {
namespace {

// `hax -p --json`: records of a kind, and one result. Versions before 0.5.0 know no --json and print the final text
// alone: lines that are no records, which are then the result.
class HaxReader : public JsonLinesReader {
 public:
  using JsonLinesReader::JsonLinesReader;

 private:
  void take(const std::string& type, const Object& record) override {
    records_ = true;
    const std::string kind = json_text(record, "kind").value_or(type);
    if (kind == "assistant") say(json_text(record, "text").value_or(""));
    if (kind == "tool_call") {
      const Object input = json_object(record, "arguments");
      tool(json_text(record, "name").value_or(""), input.isNull() ? json_object(record, "input") : input);
    }
    if (kind == "turn_usage") {
      add(result_.input_tokens, json_integer(record, "input_tokens"));
      add(result_.output_tokens, json_integer(record, "output_tokens"));
      add(result_.cache_read_tokens, json_integer(record, "cached_tokens"));
    }
    if (type == "result") take_result(record);
  }

  void take_words(std::string_view line) override {
    if (!records_) say(std::string(line));
  }

  void take_result(const Object& record) {
    final_record();
    result_.turns = json_integer(record, "turns");
    result_.cost_usd = json_number(record, "cost");
    result_.text = json_text(record, "text").value_or(result_.text);
    const std::string outcome = json_text(record, "outcome").value_or("");
    if (outcome != "complete") failed(json_text(record, "error").value_or(outcome));
  }

  void end() override {
    if (!records_ && !result_.text.empty()) final_record();
  }

  bool records_ = false;
};

}  // namespace

std::unique_ptr<AgentReader> make_hax_reader(AgentReader::Listener listener) {
  return std::make_unique<HaxReader>(std::move(listener));
}

}  // namespace sanduk
