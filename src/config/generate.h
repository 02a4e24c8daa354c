// Written from a table of fields: the JSON Schema that editors use, and the reference that people read.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "config/field.h"

namespace sanduk {

// What a generator needs to know of a row.
struct FieldDoc {
  std::string path;
  std::string help;
  Shape shape = Shape::text;
  std::string flag;
  std::string default_text;
  std::vector<std::string> allowed;
  bool one_or_list = false;
  std::string repeat;  // what a repeatable flag does to the profile's value
  std::string widens;  // which change of it lets a box do more
};

template <class Record>
std::vector<FieldDoc> document_fields(const FieldTable<Record>& table) {
  const Record defaults{};
  std::vector<FieldDoc> docs;
  for (const Field<Record>& row : table) {
    const std::string flag = row.flag.empty() ? "" : row.flag + (row.placeholder.empty() ? "" : " " + row.placeholder);
    docs.push_back({row.path, row.help, row.shape, flag, row.value(defaults), row.allowed, row.one_or_list,
                    row.flag.empty() ? "" : repeat_rule(row.shape, row.flag_adds), widens_words(row.rule.kind)});
  }
  return docs;
}

// Draft-07, closed tables; taplo, RedHat's YAML server and VS Code read it.
std::string write_json_schema(const std::vector<FieldDoc>& fields, const std::string& title);

// Markdown: a table of keys for each table of the record, each under a heading that begins with `heading`.
std::string write_reference(const std::vector<FieldDoc>& fields, const std::string& heading);

}  // namespace sanduk
