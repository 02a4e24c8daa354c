#include "plan/plan_json.h"

#include <Poco/SHA2Engine.h>

#include <set>

#include "base/json.h"
#include "base/text.h"
#include "plan/plan_members.h"

namespace sanduk {
namespace {

std::string word(NetworkMode value) { return mode_name(value); }
std::string word(Transport value) { return transport_name(value); }
std::string word(Protocol value) { return protocol_name(value); }
std::string word(BodyLog value) { return body_log_name(value); }
std::string word(WorkspaceMode value) { return workspace_mode_name(value); }

class Writer {
 public:
  explicit Writer(JsonWriter& json) : json_(json) {}

  template <class T>
  void operator()(const char* name, T& member) {
    json_.key(name);
    write(member);
  }

 private:
  void write(std::string& value) { json_.string(value); }
  void write(bool& value) { json_.boolean(value); }
  void write(std::int64_t& value) { json_.integer(value); }
  void write(double& value) { json_.number(value); }

  template <class T>
  void write(std::vector<T>& list) {
    json_.begin_array();
    for (T& item : list) write(item);
    json_.end_array();
  }

  template <class T>
  void write(std::optional<T>& value) {
    if (value) {
      write(*value);
    } else {
      json_.null();
    }
  }

  template <class T>
  void write(T& value) {
    if constexpr (std::is_enum_v<T>) {
      json_.string(word(value));
    } else {
      json_.begin_object();
      visit(*this, value);
      json_.end_object();
    }
  }

  JsonWriter& json_;
};

// Reads members by name; says what is missing, of another type or too much.
class Reader {
 public:
  Reader(Poco::JSON::Object::Ptr object, std::string path, std::vector<std::string>& faults)
      : object_(std::move(object)), path_(std::move(path)), faults_(faults) {}

  template <class T>
  void operator()(const char* name, T& member) {
    known_.insert(name);
    const std::string path = path_.empty() ? name : path_ + "." + name;
    if (!object_->has(name)) {
      faults_.push_back("`" + path + "` is missing");
    } else if (!read(object_->get(name), path, member)) {
      faults_.push_back("`" + path + "` has the wrong type or value");
    }
  }

  void check_unknown(const std::set<std::string>& also_known = {}) {
    for (const std::string& name : object_->getNames()) {
      if (!known_.contains(name) && !also_known.contains(name)) {
        faults_.push_back("`" + (path_.empty() ? name : path_ + "." + name) + "` is not a member of a plan");
      }
    }
  }

 private:
  using Var = Poco::Dynamic::Var;

  bool read(const Var& var, const std::string&, std::string& value) {
    if (!var.isString()) return false;
    value = var.extract<std::string>();
    return true;
  }
  bool read(const Var& var, const std::string&, bool& value) {
    if (!var.isBoolean()) return false;
    value = var.extract<bool>();
    return true;
  }
  bool read(const Var& var, const std::string&, std::int64_t& value) {
    if (var.isEmpty() || !var.isInteger() || var.isBoolean()) return false;
    value = var.convert<Poco::Int64>();
    return true;
  }
  bool read(const Var& var, const std::string&, double& value) {
    if (var.isEmpty() || !var.isNumeric() || var.isBoolean()) return false;
    value = var.convert<double>();
    return true;
  }

  template <class T>
  bool read(const Var& var, const std::string& path, std::vector<T>& list) {
    if (var.type() != typeid(Poco::JSON::Array::Ptr)) return false;
    const auto array = var.extract<Poco::JSON::Array::Ptr>();
    list.clear();
    for (std::size_t i = 0; i < array->size(); ++i) {
      T item{};
      if (!read(array->get(static_cast<unsigned>(i)), path + "[" + std::to_string(i) + "]", item)) return false;
      list.push_back(std::move(item));
    }
    return true;
  }

  template <class T>
  bool read(const Var& var, const std::string& path, std::optional<T>& value) {
    if (var.isEmpty()) return true;
    T inner{};
    if (!read(var, path, inner)) return false;
    value = std::move(inner);
    return true;
  }

  template <class T>
  bool read(const Var& var, const std::string& path, T& value) {
    if constexpr (std::is_enum_v<T>) {
      if (!var.isString()) return false;
      const auto text = var.extract<std::string>();
      for (int i = 0; !word(static_cast<T>(i)).empty(); ++i) {
        if (word(static_cast<T>(i)) != text) continue;
        value = static_cast<T>(i);
        return true;
      }
      return false;
    } else {
      if (var.type() != typeid(Poco::JSON::Object::Ptr)) return false;
      Reader inner(var.extract<Poco::JSON::Object::Ptr>(), path, faults_);
      visit(inner, value);
      inner.check_unknown();
      return true;
    }
  }

  Poco::JSON::Object::Ptr object_;
  std::string path_;
  std::vector<std::string>& faults_;
  std::set<std::string> known_;
};

void write_members(JsonWriter& json, const Plan& plan) {
  Plan copy = plan;
  Writer writer(json);
  visit(writer, copy);
}

}  // namespace

std::string engine_json(const PlannedEngine& engine) {
  JsonWriter json;
  PlannedEngine copy = engine;
  json.begin_object();
  Writer writer(json);
  visit(writer, copy);
  json.end_object();
  return json.text();
}

std::optional<PlannedEngine> read_engine_json(const std::string& text) {
  const Poco::JSON::Object::Ptr object = parse_json_object(text);
  if (object.isNull()) return std::nullopt;
  PlannedEngine engine;
  std::vector<std::string> faults;
  Reader reader(object, "", faults);
  visit(reader, engine);
  if (!faults.empty()) return std::nullopt;
  return engine;
}

std::string sha256_hex(std::string_view bytes) {
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  engine.update(bytes.data(), bytes.size());
  return Poco::DigestEngine::digestToHex(engine.digest());
}

std::string plan_digest(const Plan& plan) {
  JsonWriter json;
  json.begin_object();
  json.field("sanduk_plan", plan_version);
  write_members(json, plan);
  json.end_object();
  return "sha256:" + sha256_hex(json.text());
}

std::string write_plan_json(const Plan& plan) {
  JsonWriter json(2);
  json.begin_object();
  json.field("sanduk_plan", plan_version);
  json.field("digest", plan_digest(plan));
  write_members(json, plan);
  json.end_object();
  return json.text() + "\n";
}

std::optional<Plan> read_plan_json(std::string_view text, const std::string& name, Diagnostics& problems) {
  const std::string help = "write it anew: sanduk plan PROFILE -o FILE";
  std::string why;
  const Poco::JSON::Object::Ptr object = parse_json_object(text, &why);
  if (object.isNull()) {
    problems.add(error("bad-plan", "`" + name + "` is not a plan: " + why).with_help(help));
    return std::nullopt;
  }
  if (json_integer(object, "sanduk_plan") != plan_version) {
    problems.add(
        error("bad-plan", "`" + name + "` is not a plan of version " + std::to_string(plan_version)).with_help(help));
    return std::nullopt;
  }
  Plan plan;
  std::vector<std::string> faults;
  Reader reader(object, "", faults);
  try {
    visit(reader, plan);
  } catch (const Poco::Exception& fault) {
    faults.push_back(fault.displayText());
  }
  reader.check_unknown({"sanduk_plan", "digest"});
  for (const std::string& fault : faults) {
    problems.add(error("bad-plan", "`" + name + "`: " + fault).with_help(help));
  }
  if (!faults.empty()) return std::nullopt;
  if (json_text(object, "digest") != plan_digest(plan)) {
    problems.add(error("plan-changed", "`" + name + "` does not fit its digest: it was changed after it was written")
                     .with_help(help));
    return std::nullopt;
  }
  return plan;
}

}  // namespace sanduk
