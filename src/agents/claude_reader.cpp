#include "agents/claude_reader.h"

#include <array>
#include <cstdio>
#include <map>

#include "agents/json_lines.h"
#include "agents/line_splitter.h"
#include "base/text.h"

namespace sanduk {
namespace {

using Object = Poco::JSON::Object::Ptr;
using Array = Poco::JSON::Array::Ptr;
using Kind = AgentEvent::Kind;

constexpr std::size_t most_messages = 4096;
constexpr std::size_t most_text = std::size_t{1} << 20;

struct Tokens {
  std::optional<std::int64_t> input;
  std::optional<std::int64_t> cache_write;
  std::optional<std::int64_t> cache_read;
  std::optional<std::int64_t> output;
};

Tokens tokens_of(const Object& usage) {
  return {json_integer(usage, "input_tokens"), json_integer(usage, "cache_creation_input_tokens"),
          json_integer(usage, "cache_read_input_tokens"), json_integer(usage, "output_tokens")};
}

void add(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& value) {
  if (value) sum = sum.value_or(0) + *value;
}

void add(Tokens& sum, const Tokens& tokens) {
  add(sum.input, tokens.input);
  add(sum.cache_write, tokens.cache_write);
  add(sum.cache_read, tokens.cache_read);
  add(sum.output, tokens.output);
}

// The words of a tool's result: a string, or a list of blocks with text.
std::string words_of(const Object& block) {
  if (const std::optional<std::string> text = json_text(block, "content")) return *text;
  const Array parts = json_array(block, "content");
  std::string words;
  for (std::size_t i = 0; !parts.isNull() && i < parts->size(); ++i) {
    words += json_text(parts->getObject(static_cast<unsigned>(i)), "text").value_or("");
  }
  return words;
}

std::string retry_words(const Object& record) {
  std::string words = "attempt";
  if (const auto attempt = json_integer(record, "attempt")) words += " " + std::to_string(*attempt);
  auto most = json_integer(record, "max_retries");
  if (!most) most = json_integer(record, "maxRetries");
  if (most) words += " of " + std::to_string(*most);
  auto delay = json_number(record, "retry_delay_ms");
  if (!delay) delay = json_number(record, "delayMs");
  if (delay) {
    std::array<char, 32> seconds{};
    std::snprintf(seconds.data(), seconds.size(), " in %.1f s", *delay / 1000);
    words += seconds.data();
  }
  const auto status = json_integer(record, "error_status");
  const std::string why = json_text(record, "error").value_or("");
  if (status || !why.empty()) words += ":";
  if (status) words += " " + std::to_string(*status);
  if (!why.empty()) words += " " + why;
  return words;
}

class ClaudeReader : public AgentReader {
 public:
  explicit ClaudeReader(Listener listener) : listener_(std::move(listener)) {}

  void feed(std::string_view bytes) override { lines_.feed(bytes); }

  AgentResult finish() override {
    lines_.finish();
    if (!result_.final_record) {
      for (const auto& [id, tokens] : messages_) add(sum_, tokens);
      take(sum_);
      if (lines_.dropped() > 0) {
        // The result may have been in it.
        result_.failed = true;
        result_.text = "the agent printed a record that is too long to be read";
      }
    }
    if (result_.model.empty()) result_.model = model_;
    return std::move(result_);
  }

 private:
  void take_line(std::string_view line) {
    const Object record = parse_record(line);
    if (record.isNull()) return;
    const std::string type = json_text(record, "type").value_or("");
    if (type == "system") take_system(record);
    if (type == "assistant") take_assistant(record);
    if (type == "user") take_user(record);
    if (type == "error") tell(Kind::error, json_text(record, "message").value_or("error"));
    if (type == "result") take_result(record);
  }

  void take_system(const Object& record) {
    const std::string subtype = json_text(record, "subtype").value_or("");
    if (subtype == "init") {
      model_ = json_text(record, "model").value_or(model_);
      tell(Kind::started, model_);
    }
    if (subtype == "api_retry") tell(Kind::retry, retry_words(record));
    if (subtype == "retry") tell(Kind::retry, retry_words(json_object(record, "data")));  // Qwen Code's
  }

  void take_assistant(const Object& record) {
    const Object message = json_object(record, "message");
    remember_usage(message);
    // The agent's own words about a failed call come as if the model had said them.
    const Kind text_kind = record->has("error") && !record->isNull("error") ? Kind::error : Kind::text;
    const Array content = json_array(message, "content");
    for (std::size_t i = 0; !content.isNull() && i < content->size(); ++i) {
      const Object block = content->getObject(static_cast<unsigned>(i));
      const std::string type = json_text(block, "type").value_or("");
      if (type == "text") tell(text_kind, json_text(block, "text").value_or(""));
      if (type == "tool_use") {
        tell(Kind::tool, tool_summary(json_object(block, "input")), json_text(block, "name").value_or("?"));
      }
    }
  }

  void take_user(const Object& record) {
    const Array content = json_array(json_object(record, "message"), "content");
    for (std::size_t i = 0; !content.isNull() && i < content->size(); ++i) {
      const Object block = content->getObject(static_cast<unsigned>(i));
      if (json_text(block, "type") != "tool_result" || json_boolean(block, "is_error") != true) continue;
      tell(Kind::error, short_form(words_of(block), 240));
    }
  }

  // A message's usage is repeated in the record of each of its blocks: the last one counts, once.
  void remember_usage(const Object& message) {
    const Object usage = json_object(message, "usage");
    if (usage.isNull()) return;
    const std::string id = json_text(message, "id").value_or("");
    if (messages_.size() >= most_messages && !messages_.contains(id)) {
      for (const auto& [old, tokens] : messages_) add(sum_, tokens);
      messages_.clear();
    }
    messages_[id] = tokens_of(usage);
  }

  void take_result(const Object& record) {
    result_ = {};
    result_.final_record = true;
    const std::string subtype = json_text(record, "subtype").value_or("");
    result_.failed = json_boolean(record, "is_error") == true || subtype.starts_with("error");
    result_.text = json_text(record, "result").value_or("").substr(0, most_text);
    if (result_.failed && result_.text.empty()) result_.text = failure_words(record, subtype);
    result_.turns = json_integer(record, "num_turns");
    result_.cost_usd = json_number(record, "total_cost_usd");
    take(tokens_of(json_object(record, "usage")));
    tell(Kind::result, result_.text);
  }

  static std::string failure_words(const Object& record, const std::string& subtype) {
    const Array errors = json_array(record, "errors");
    std::vector<std::string> words;
    for (std::size_t i = 0; !errors.isNull() && i < errors->size(); ++i) {
      const Poco::Dynamic::Var value = errors->get(static_cast<unsigned>(i));
      if (value.isString()) words.push_back(value.extract<std::string>());
    }
    if (words.empty()) words.push_back(json_text(json_object(record, "error"), "message").value_or(""));
    if (!words.front().empty()) return join(words, "; ").substr(0, most_text);
    return subtype.empty() ? "the agent failed and did not say why" : subtype;
  }

  void take(const Tokens& tokens) {
    result_.input_tokens = tokens.input;
    result_.cache_write_tokens = tokens.cache_write;
    result_.cache_read_tokens = tokens.cache_read;
    result_.output_tokens = tokens.output;
  }

  void tell(Kind kind, std::string text, std::string tool = "") {
    if (listener_ && !(kind == Kind::text && text.empty())) listener_({kind, std::move(text), std::move(tool)});
  }

  Listener listener_;
  LineSplitter lines_{[this](std::string_view line) { take_line(line); }};
  std::string model_;
  std::map<std::string, Tokens> messages_;
  Tokens sum_;  // of messages no longer remembered
  AgentResult result_;
};

}  // namespace

std::unique_ptr<AgentReader> make_claude_reader(AgentReader::Listener listener) {
  return std::make_unique<ClaudeReader>(std::move(listener));
}

}  // namespace sanduk
