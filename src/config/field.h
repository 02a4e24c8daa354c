// A setting is one member of a record and one row of its table. From the row come the key, the flag, the help, the
// schema, the reference and `sanduk show`; the type comes from the member, the default from a default-built record.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/convert.h"
#include "config/node.h"
#include "config/setting.h"
#include "config/widen.h"

namespace sanduk {

// One row. Only `path` and `help` are needed; build it with `field(...)`.
template <class Record>
struct Field {
  std::string path;  // "agent.model"
  std::string help;  // one sentence, lower case, no full stop
  Shape shape = Shape::text;
  std::string flag;         // "--model"; empty: only --set reaches it
  std::string short_flag;   // "-w"
  std::string placeholder;  // in the help: "MODEL"
  std::string flag_value;   // the value that the bare flag means ("true" for switches); empty: the flag takes one
  bool flag_adds = false;   // a flag's list adds to the profile's instead of replacing it
  std::vector<std::string> allowed;  // values; empty: any
  bool one_or_list = false;          // a single string stands for a list of one
  bool required = false;             // the record is not valid without it (descriptor files)
  WidenRule rule;                    // which change of it lets a box do more

  std::function<bool(Record&, const Node&, const Origin&, Diagnostics&)> assign;
  std::function<std::string(const Record&)> value;  // as TOML text; empty when there is no value
  std::function<const Origin&(const Record&)> origin;
  std::function<Comparable(const Record&)> comparable;
  std::function<void(const Record& before, Record& after)> prepend;  // lists: the entries of `before` come first

  // Table rows read like sentences: field("agent.model", …).with_flag("--model", "MODEL").
  Field& with_flag(std::string name, std::string value_name) {
    flag = std::move(name);
    placeholder = std::move(value_name);
    return *this;
  }
  Field& with_short(std::string name) {
    short_flag = std::move(name);
    return *this;
  }
  Field& with_switch(std::string name, std::string value_of_bare_flag = "true") {
    flag = std::move(name);
    flag_value = std::move(value_of_bare_flag);
    return *this;
  }
  Field& one_of(std::vector<std::string> values) {
    allowed = std::move(values);
    return *this;
  }
  Field& adding() {
    flag_adds = true;
    return *this;
  }
  Field& accepting_one() {
    one_or_list = true;
    return *this;
  }
  Field& widening(Widens kind, std::vector<std::string> order = {}) {
    rule = {kind, std::move(order)};
    return *this;
  }
  Field& always_required() {
    required = true;
    return *this;
  }
};

// What a flag that may be given more than once does to the profile's value; empty for all others.
inline std::string repeat_rule(Shape shape, bool flag_adds) {
  switch (shape) {
    case Shape::list:
    case Shape::mounts:
      return flag_adds ? "repeatable, adds to the profile's" : "repeatable, replaces the profile's";
    case Shape::map:
      return "repeatable, adds to the profile's";
    default:
      return "";
  }
}

template <class Record>
using FieldTable = std::vector<Field<Record>>;

// A row for the member that `get` finds: a lambda from Record& to the Setting.
template <class Record, class Get>
Field<Record> field(const std::string& path, Get get, const std::string& help) {
  Field<Record> row;
  row.path = path;
  row.help = help;
  using Value = std::decay_t<decltype(get(std::declval<Record&>()).value)>;
  row.shape = shape_of(Value{});
  row.assign = [get, path](Record& record, const Node& node, const Origin& origin, Diagnostics& problems) {
    Setting<Value>& setting = get(record);
    if (!convert(node, path, origin, setting.value, problems)) return false;
    setting.origin = origin;
    return true;
  };
  row.value = [get](const Record& record) {
    const Setting<Value>& setting = get(const_cast<Record&>(record));
    return render_value(setting.value);
  };
  row.origin = [get](const Record& record) -> const Origin& { return get(const_cast<Record&>(record)).origin; };
  row.comparable = [get](const Record& record) { return sanduk::comparable(get(const_cast<Record&>(record))); };
  if constexpr (std::is_same_v<Value, TextList> || std::is_same_v<Value, MountList>) {
    row.prepend = [get](const Record& before, Record& after) {
      Value joined = get(const_cast<Record&>(before)).value;
      Value& added = get(after).value;
      joined.insert(joined.end(), added.begin(), added.end());
      added = std::move(joined);
    };
  }
  return row;
}

}  // namespace sanduk
