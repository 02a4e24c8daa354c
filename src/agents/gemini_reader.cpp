#include "agents/gemini_reader.h"

#include "agents/json_lines_reader.h"

namespace sanduk {
namespace {

// `gemini --output-format stream-json`: what the model says comes in pieces that belong together until something else
// comes. Input tokens include the cached ones.
class GeminiReader : public JsonLinesReader {
 public:
  using JsonLinesReader::JsonLinesReader;

 private:
  static constexpr std::size_t most_words = std::size_t{1} << 20;

  void take(const std::string& type, const Object& record) override {
    if (type == "message" && json_text(record, "role") == "assistant") {
      words_ += json_text(record, "content").value_or("");
      if (words_.size() > most_words || json_boolean(record, "delta") != true) say_words();
      return;
    }
    say_words();
    if (type == "init") started(json_text(record, "model").value_or(""));
    if (type == "tool_use") tool(json_text(record, "tool_name").value_or(""), json_object(record, "parameters"));
    if (type == "tool_result" && json_text(record, "status") == "error") {
      error(json_text(json_object(record, "error"), "message").value_or("the tool failed"));
    }
    if (type == "error") error(json_text(record, "message").value_or("error"));
    if (type == "result") take_result(record);
  }

  void take_result(const Object& record) {
    final_record();
    if (json_text(record, "status") != "success") {
      failed(json_text(json_object(record, "error"), "message").value_or(""));
    }
    const Object stats = json_object(record, "stats");
    add(result_.input_tokens, json_integer(stats, "input_tokens"));
    add(result_.cache_read_tokens, json_integer(stats, "cached"));
    add(result_.output_tokens, json_integer(stats, "output_tokens"));
  }

  void end() override { say_words(); }

  void say_words() {
    say(words_);
    words_.clear();
  }

  std::string words_;
};

}  // namespace

std::unique_ptr<AgentReader> make_gemini_reader(AgentReader::Listener listener) {
  return std::make_unique<GeminiReader>(std::move(listener));
}

}  // namespace sanduk
