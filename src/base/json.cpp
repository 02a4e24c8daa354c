#include "base/json.h"

#include <Poco/Exception.h>
#include <Poco/JSON/ParseHandler.h>
#include <Poco/JSON/Parser.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/text.h"

namespace sanduk {

JsonWriter& JsonWriter::begin_object() {
  before_value();
  text_ += '{';
  has_entries_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  close('}');
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  before_value();
  text_ += '[';
  has_entries_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  close(']');
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  text_ += json_string(name);
  text_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view value) { return raw(json_string(value)); }

JsonWriter& JsonWriter::integer(std::int64_t value) { return raw(std::to_string(value)); }

JsonWriter& JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return raw(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
}

JsonWriter& JsonWriter::boolean(bool value) { return raw(value ? "true" : "false"); }

JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  text_ += json;
  return *this;
}

JsonWriter& JsonWriter::field(std::string_view name, const std::vector<std::string>& values) {
  key(name).begin_array();
  for (const std::string& value : values) string(value);
  return end_array();
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_entries_.empty()) return;
  if (has_entries_.back()) text_ += ',';
  has_entries_.back() = true;
  new_line();
}

void JsonWriter::close(char bracket) {
  const bool had_entries = has_entries_.back();
  has_entries_.pop_back();
  if (had_entries) new_line();
  text_ += bracket;
}

void JsonWriter::new_line() {
  if (indent_ == 0) return;
  text_ += '\n';
  text_.append(has_entries_.size() * static_cast<std::size_t>(indent_), ' ');
}

std::string json_string(std::string_view value) {
  std::string text = "\"";
  for (std::size_t at = 0; at < value.size(); ++at) {
    const char c = value[at];
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c == '\r') {
      text += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", byte);
      text += escape.data();
    } else if (byte < 0x80) {
      text += c;
    } else {
      std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      if (is_valid_utf8(value.substr(at, length))) {
        text += value.substr(at, length);
        at += length - 1;
      } else {
        text += "\xEF\xBF\xBD";
      }
    }
  }
  return text + "\"";
}

Poco::JSON::Object::Ptr parse_json_object(std::string_view text, std::string* why) {
  try {
    Poco::JSON::ParseHandler::Ptr handler = new Poco::JSON::ParseHandler(true);
    Poco::JSON::Parser parser(handler);
    parser.setDepth(128);
    const Poco::Dynamic::Var value = parser.parse(std::string(text));
    if (value.type() == typeid(Poco::JSON::Object::Ptr)) return value.extract<Poco::JSON::Object::Ptr>();
    if (why != nullptr) *why = "not a JSON object";
  } catch (const Poco::Exception& error) {
    if (why != nullptr) *why = error.message().empty() ? error.displayText() : error.message();
  } catch (const std::exception& error) {
    if (why != nullptr) *why = error.what();
  }
  return {};
}

namespace {

Poco::Dynamic::Var member(const Poco::JSON::Object::Ptr& object, const std::string& name) {
  return object.isNull() ? Poco::Dynamic::Var() : object->get(name);
}

}  // namespace

std::optional<std::string> json_text(const Poco::JSON::Object::Ptr& object, const std::string& name) {
  const Poco::Dynamic::Var value = member(object, name);
  if (!value.isString()) return std::nullopt;
  return value.extract<std::string>();
}

std::optional<std::int64_t> json_integer(const Poco::JSON::Object::Ptr& object, const std::string& name) {
  const Poco::Dynamic::Var value = member(object, name);
  if (value.isEmpty() || !value.isInteger() || value.isBoolean()) return std::nullopt;
  try {
    return value.convert<Poco::Int64>();
  } catch (const Poco::Exception&) {
    return std::nullopt;
  }
}

std::optional<double> json_number(const Poco::JSON::Object::Ptr& object, const std::string& name) {
  const Poco::Dynamic::Var value = member(object, name);
  if (value.isEmpty() || !value.isNumeric() || value.isBoolean()) return std::nullopt;
  return value.convert<double>();
}

std::optional<bool> json_boolean(const Poco::JSON::Object::Ptr& object, const std::string& name) {
  const Poco::Dynamic::Var value = member(object, name);
  if (value.isEmpty() || !value.isBoolean()) return std::nullopt;
  return value.extract<bool>();
}

Poco::JSON::Object::Ptr json_object(const Poco::JSON::Object::Ptr& object, const std::string& name) {
  const Poco::Dynamic::Var value = member(object, name);
  if (value.type() != typeid(Poco::JSON::Object::Ptr)) return {};
  return value.extract<Poco::JSON::Object::Ptr>();
}

Poco::JSON::Array::Ptr json_array(const Poco::JSON::Object::Ptr& object, const std::string& name) {
  const Poco::Dynamic::Var value = member(object, name);
  if (value.type() != typeid(Poco::JSON::Array::Ptr)) return {};
  return value.extract<Poco::JSON::Array::Ptr>();
}

}  // namespace sanduk
