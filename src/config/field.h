// A setting is one member of a record and one row of its table. From the row come the key, the flag, the help, the
// schema, the reference and `sanduk show`; the type comes from the member, the default from a default-built record.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/convert.h"
#include "config/node.h"
#include "config/setting.h"

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
  std::string not_yet;               // the key exists, but using it is refused with these words
  bool one_or_list = false;          // a single string stands for a list of one
  bool required = false;             // the record is not valid without it (descriptor files)

  std::function<bool(Record&, const Node&, const Origin&, Diagnostics&)> assign;
  std::function<std::string(const Record&)> value;  // as TOML text; empty when there is no value
  std::function<const Origin&(const Record&)> origin;

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
  Field& not_supported_yet(std::string words) {
    not_yet = std::move(words);
    return *this;
  }
  Field& accepting_one() {
    one_or_list = true;
    return *this;
  }
  Field& always_required() {
    required = true;
    return *this;
  }
};

template <class Record>
using FieldTable = std::vector<Field<Record>>;

// A row for the member that `get` finds: a lambda from Record& to the Setting.
template <class Record, class Get>
Field<Record> field(std::string path, Get get, std::string help) {
  Field<Record> row;
  row.path = path;
  row.help = std::move(help);
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
  return row;
}

}  // namespace sanduk
