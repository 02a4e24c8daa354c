#include "plan/plan_schema.h"

#include <utility>

#include "base/json.h"
#include "plan/plan_json.h"
#include "plan/plan_members.h"

namespace sanduk {
namespace {

std::string word(NetworkMode value) { return mode_name(value); }
std::string word(Transport value) { return transport_name(value); }
std::string word(Protocol value) { return protocol_name(value); }
std::string word(BodyLog value) { return body_log_name(value); }
std::string word(WorkspaceMode value) { return workspace_mode_name(value); }

class SchemaWriter {
 public:
  explicit SchemaWriter(JsonWriter& json) : json_(json) {}

  template <class T>
  void operator()(const char* name, T& member) {
    names_.emplace_back(name);
    json_.key(name).begin_object();
    write(member);
    json_.end_object();
  }

  // The members of one object: their schemas, then their names, for all are required.
  template <class T>
  void members(T& value, std::vector<std::string> also = {}) {
    const std::vector<std::string> outer = std::exchange(names_, std::move(also));
    visit(*this, value);
    json_.end_object();
    json_.field("required", names_);
    names_ = outer;
  }

 private:
  void write(std::string&) { json_.field("type", "string"); }
  void write(bool&) { json_.field("type", "boolean"); }
  void write(std::int64_t&) { json_.field("type", "integer"); }
  void write(double&) { json_.field("type", "number"); }

  template <class T>
  void write(std::vector<T>&) {
    json_.field("type", "array").key("items").begin_object();
    T item{};
    write(item);
    json_.end_object();
  }

  template <class T>
  void write(std::optional<T>&) {
    json_.key("anyOf").begin_array().begin_object().field("type", "null").end_object().begin_object();
    T inner{};
    write(inner);
    json_.end_object().end_array();
  }

  template <class T>
  void write(T& value) {
    if constexpr (std::is_enum_v<T>) {
      std::vector<std::string> words;
      for (int i = 0; !word(static_cast<T>(i)).empty(); ++i) words.push_back(word(static_cast<T>(i)));
      json_.field("enum", words);
    } else {
      json_.field("type", "object").field("additionalProperties", false).key("properties").begin_object();
      members(value);
    }
  }

  JsonWriter& json_;
  std::vector<std::string> names_;
};

}  // namespace

std::string write_plan_schema() {
  JsonWriter json(2);
  json.begin_object();
  json.field("$schema", "http://json-schema.org/draft-07/schema#").field("title", "sanduk plan");
  json.field("description", "written by `sanduk plan FILE --json`, run by `sanduk apply FILE.json`");
  json.field("type", "object").field("additionalProperties", false).key("properties").begin_object();
  json.key("sanduk_plan").begin_object().key("const").integer(plan_version).end_object();
  json.key("digest").begin_object().field("type", "string").field("pattern", "^sha256:[0-9a-f]{64}$").end_object();
  Plan plan;
  SchemaWriter(json).members(plan, {"sanduk_plan", "digest"});
  json.end_object();
  return json.text() + "\n";
}

}  // namespace sanduk
