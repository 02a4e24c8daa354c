#include "config/generate.h"

#include <algorithm>

namespace sanduk {
namespace {

std::string parent_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string leaf_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string shape_words(Shape shape) {
  switch (shape) {
    case Shape::text:
      return "string";
    case Shape::boolean:
      return "true or false";
    case Shape::integer:
      return "whole number";
    case Shape::number:
      return "number";
    case Shape::duration:
      return "duration";
    case Shape::size:
      return "size";
    case Shape::path:
      return "path";
    case Shape::list:
      return "list of strings";
    case Shape::map:
      return "table of strings";
    case Shape::mounts:
      return "list of mounts";
    case Shape::list_map:
      return "table of lists";
  }
  return "";
}

void write_strings(JsonWriter& json) {
  json.field("type", "array").key("items").begin_object().field("type", "string").end_object();
}

void write_type(JsonWriter& json, const FieldDoc& field) {
  if (field.one_or_list) {
    json.key("anyOf").begin_array();
    json.begin_object().field("type", "string").end_object();
    json.begin_object();
    write_strings(json);
    json.end_object().end_array();
    return;
  }
  switch (field.shape) {
    case Shape::boolean:
      json.field("type", "boolean");
      break;
    case Shape::integer:
      json.field("type", "integer");
      break;
    case Shape::number:
      json.field("type", "number");
      break;
    case Shape::duration:
      json.key("anyOf").begin_array();
      json.begin_object().field("type", "integer").field("minimum", 0).end_object();
      json.begin_object().field("type", "string").field("pattern", "^[0-9]+[smhd]?$").end_object();
      json.end_array();
      break;
    case Shape::size:
      json.field("type", "string").field("pattern", "^[0-9]+(B|[KMG]|[kmg]|T|[KMGT]iB)$");
      break;
    case Shape::list:
      write_strings(json);
      break;
    case Shape::mounts:
      json.field("type", "array").key("items").begin_object();
      json.field("type", "string").field("pattern", "^[^:]+:/[^:]*(:(ro|rw))?$").end_object();
      break;
    case Shape::map:
      json.field("type", "object").key("additionalProperties").begin_object();
      json.field("type", std::vector<std::string>{"string", "boolean", "integer"}).end_object();
      break;
    case Shape::list_map:
      json.field("type", "object").key("additionalProperties").begin_object();
      write_strings(json);
      json.end_object();
      break;
    default:
      json.field("type", "string");
      break;
  }
  if (!field.allowed.empty()) json.field("enum", field.allowed);
}

void write_property(JsonWriter& json, const FieldDoc& field) {
  json.key(leaf_of(field.path));
  json.begin_object();
  json.field("description", field.help + (field.default_text.empty() || field.default_text == "\"\""
                                              ? ""
                                              : "; default: " + field.default_text));
  write_type(json, field);
  json.end_object();
}

// Tables in the order of their first row.
std::vector<std::string> tables_of(const std::vector<FieldDoc>& fields) {
  std::vector<std::string> tables;
  for (const FieldDoc& field : fields) {
    const std::string parent = parent_of(field.path);
    if (std::find(tables.begin(), tables.end(), parent) == tables.end()) tables.push_back(parent);
  }
  return tables;
}

// The properties of one table, those of the tables in it after its own, in the order of their first rows.
void write_table(JsonWriter& json, const std::vector<FieldDoc>& fields, const std::string& table) {
  for (const FieldDoc& field : fields) {
    if (parent_of(field.path) == table) write_property(json, field);
  }
  for (const std::string& inner : tables_of(fields)) {
    if (inner.empty() || parent_of(inner) != table) continue;
    json.key(leaf_of(inner))
        .begin_object()
        .field("type", "object")
        .field("additionalProperties", false)
        .key("properties")
        .begin_object();
    write_table(json, fields, inner);
    json.end_object().end_object();
  }
}

}  // namespace

std::string write_json_schema(const std::vector<FieldDoc>& fields, const std::string& title) {
  JsonWriter json(2);
  json.begin_object();
  json.field("$schema", "http://json-schema.org/draft-07/schema#");
  json.field("title", title);
  json.field("type", "object");
  json.field("additionalProperties", false);
  json.key("properties").begin_object();
  json.key("$schema")
      .begin_object()
      .field("description", "address of this schema, for editors")
      .field("type", "string")
      .end_object();
  write_table(json, fields, "");
  json.end_object().end_object();
  return json.text() + "\n";
}

std::string write_reference(const std::vector<FieldDoc>& fields, const std::string& heading) {
  std::string text;
  const auto cell = [](const std::string& words) { return replace_all(words, "|", "\\|"); };
  const auto code = [&](const std::string& words) { return words.empty() ? "" : "`" + cell(words) + "`"; };
  for (const std::string& table : tables_of(fields)) {
    text += "\n" + heading + " " + (table.empty() ? std::string("Top level") : "[" + table + "]") +
            "\n\n| key | type | default | flag | what it says | widens |\n| --- | --- | --- | --- | --- | --- |\n";
    for (const FieldDoc& field : fields) {
      if (parent_of(field.path) != table) continue;
      const std::string& value = field.default_text;
      const bool no_default = value.empty() || value == "\"\"" || value == "[]" || value == "{}" || value == "0";
      text += "| `" + leaf_of(field.path) + "` | " +
              cell(field.allowed.empty() ? shape_words(field.shape) : join(field.allowed, ", ")) + " | " +
              (no_default ? "" : code(value)) + " | " + code(field.flag) +
              (field.repeat.empty() ? "" : " (" + field.repeat + ")") + " | " + cell(field.help) + " | " +
              field.widens + " |\n";
    }
  }
  return text;
}

}  // namespace sanduk
