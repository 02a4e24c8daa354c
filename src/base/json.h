// JSON out, in the order in which it is written, and in, through Poco's parser.
#pragma once

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sanduk {

// Writes one JSON value. Keys come out in the order of the calls, so that equal data gives equal bytes. Bytes that are
// not UTF-8 become U+FFFD.
class JsonWriter {
 public:
  // `indent` 0 writes one line.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& string(std::string_view value);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& number(double value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  // A value that is JSON text already.
  JsonWriter& raw(std::string_view json);

  // key + value in one call.
  JsonWriter& field(std::string_view name, std::string_view value) { return key(name).string(value); }
  JsonWriter& field(std::string_view name, const char* value) { return key(name).string(value); }
  JsonWriter& field(std::string_view name, std::int64_t value) { return key(name).integer(value); }
  JsonWriter& field(std::string_view name, int value) { return key(name).integer(value); }
  JsonWriter& field(std::string_view name, double value) { return key(name).number(value); }
  JsonWriter& field(std::string_view name, bool value) { return key(name).boolean(value); }
  JsonWriter& field(std::string_view name, const std::vector<std::string>& values);

  const std::string& text() const { return text_; }

 private:
  void before_value();
  void close(char bracket);
  void new_line();

  int indent_;
  std::string text_;
  std::vector<bool> has_entries_;
  bool after_key_ = false;
};

std::string json_string(std::string_view value);

// The object that `text` holds; nothing when it is not one JSON object (then `*why`, if given, says why).
// Keys keep their order. Depth is bounded at 128.
Poco::JSON::Object::Ptr parse_json_object(std::string_view text, std::string* why = nullptr);

// Members by type; nothing when absent or of another type. No conversion between types.
std::optional<std::string> json_text(const Poco::JSON::Object::Ptr& object, const std::string& name);
std::optional<std::int64_t> json_integer(const Poco::JSON::Object::Ptr& object, const std::string& name);
std::optional<double> json_number(const Poco::JSON::Object::Ptr& object, const std::string& name);
std::optional<bool> json_boolean(const Poco::JSON::Object::Ptr& object, const std::string& name);
Poco::JSON::Object::Ptr json_object(const Poco::JSON::Object::Ptr& object, const std::string& name);
Poco::JSON::Array::Ptr json_array(const Poco::JSON::Object::Ptr& object, const std::string& name);

}  // namespace sanduk
