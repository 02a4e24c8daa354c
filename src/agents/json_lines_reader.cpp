#include "agents/json_lines_reader.h"

namespace sanduk {
namespace {

constexpr std::size_t most_text = std::size_t{1} << 20;
constexpr std::size_t most_error = 240;

}  // namespace

AgentResult JsonLinesReader::finish() {
  lines_.finish();
  end();
  if (!result_.final_record && lines_.dropped() > 0) failed("the agent printed a record that is too long to be read");
  if (result_.final_record) tell(Kind::result, result_.text);
  return std::move(result_);
}

void JsonLinesReader::take_line(std::string_view line) {
  const Object record = parse_record(line);
  if (record.isNull()) {
    take_words(line);
  } else {
    take(json_text(record, "type").value_or(""), record);
  }
}

void JsonLinesReader::say(const std::string& text) {
  if (text.empty()) return;
  if (!result_.failed) result_.text = text.substr(0, most_text);
  tell(Kind::text, text);
}

void JsonLinesReader::tool(const std::string& name, const Object& input) {
  tell(Kind::tool, tool_summary(input), name.empty() ? "?" : name);
}

void JsonLinesReader::error(const std::string& words) { tell(Kind::error, short_form(words, most_error)); }
void JsonLinesReader::retry(const std::string& words) { tell(Kind::retry, short_form(words, most_error)); }

void JsonLinesReader::started(const std::string& model) {
  if (model.empty()) return;
  result_.model = model;
  tell(Kind::started, model);
}

void JsonLinesReader::final_record() { result_.final_record = true; }

void JsonLinesReader::failed(const std::string& words) {
  result_.failed = true;
  result_.text = words.empty() ? "the agent failed and did not say why" : words.substr(0, most_text);
}

void JsonLinesReader::add(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& value) {
  if (value) sum = sum.value_or(0) + *value;
}

void JsonLinesReader::add(std::optional<double>& sum, const std::optional<double>& value) {
  if (value) sum = sum.value_or(0) + *value;
}

void JsonLinesReader::tell(Kind kind, std::string text, std::string tool) {
  if (listener_) listener_({kind, std::move(text), std::move(tool)});
}

std::vector<Poco::JSON::Object::Ptr> json_objects(const Poco::JSON::Object::Ptr& object, const char* name) {
  std::vector<Poco::JSON::Object::Ptr> result;
  const Poco::JSON::Array::Ptr array = json_array(object, name);
  for (std::size_t i = 0; !array.isNull() && i < array->size(); ++i) {
    const auto at = static_cast<unsigned>(i);
    if (array->isObject(at)) result.push_back(array->getObject(at));
  }
  return result;
}

}  // namespace sanduk
