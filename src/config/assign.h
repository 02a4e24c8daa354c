// A positioned tree into a record, by the record's table of fields.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "config/field.h"

namespace sanduk {

// Everything about a table that needs no record: what messages and generators work on.
struct KnownKeys {
  std::vector<std::string> paths;
  std::vector<bool> open;  // below this path any key goes (a map)
};

// Says that `key` in the table at `parent` is unknown: the nearest key of this table, or the table where it belongs.
Diagnostic unknown_key(const Entry& entry, const std::string& parent, const KnownKeys& keys);

// Says that `value` is not one of `allowed`.
Diagnostic not_allowed(const Node& node, const std::string& path, const std::vector<std::string>& allowed);

template <class Record>
KnownKeys known_keys(const FieldTable<Record>& table) {
  KnownKeys keys;
  for (const Field<Record>& row : table) {
    keys.paths.push_back(row.path);
    keys.open.push_back(row.shape == Shape::map || row.shape == Shape::list_map);
  }
  return keys;
}

template <class Record>
const Field<Record>* find_field(const FieldTable<Record>& table, std::string_view path) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Field<Record>& row) { return row.path == path; });
  return found == table.end() ? nullptr : &*found;
}

// Reads one value; checks the row's rules.
template <class Record>
void assign_field(const Field<Record>& row, const Node& node, const Origin& origin, Record& record,
                  Diagnostics& problems) {
  if (!row.allowed.empty() && node.kind == Node::Kind::string &&
      std::find(row.allowed.begin(), row.allowed.end(), node.text) == row.allowed.end()) {
    problems.add(not_allowed(node, row.path, row.allowed));
    return;
  }
  if (row.one_or_list && node.kind == Node::Kind::string) {
    Node list;
    list.kind = Node::Kind::array;
    list.span = node.span;
    list.items.push_back(node);
    row.assign(record, list, origin, problems);
    return;
  }
  row.assign(record, node, origin, problems);
}

// Assigns every value of `table_node` (at `parent`, "" for the root); keys without a row are faults.
template <class Record>
void assign_table(const FieldTable<Record>& table, const Node& table_node, const std::string& parent,
                  const Origin& origin, Record& record, Diagnostics& problems) {
  for (const Entry& entry : table_node.entries) {
    const std::string path = parent.empty() ? entry.key : parent + "." + entry.key;
    Origin here = origin;
    here.span = entry.value.span.known() ? entry.value.span : entry.key_span;
    if (const Field<Record>* row = find_field(table, path);
        row != nullptr && entry.key.find('.') == std::string::npos) {
      assign_field(*row, entry.value, here, record, problems);
      continue;
    }
    const bool is_table = std::any_of(table.begin(), table.end(),
                                      [&](const Field<Record>& other) { return other.path.starts_with(path + "."); });
    if (!is_table || entry.key.find('.') != std::string::npos) {
      problems.add(unknown_key(entry, parent, known_keys(table)));
    } else if (entry.value.kind != Node::Kind::table) {
      if (entry.value.kind == Node::Kind::null) continue;  // `agent:` with nothing below it, in YAML
      problems.add(error("wrong-type", "`" + path + "` is a table, not " + kind_name(entry.value))
                       .at(entry.value.span)
                       .with_help("write its settings below a [" + path + "] line"));
    } else {
      assign_table(table, entry.value, path, origin, record, problems);
    }
  }
}

template <class Record>
void assign_document(const FieldTable<Record>& table, const Document& document, Layer layer, Record& record,
                     Diagnostics& problems) {
  Origin origin;
  origin.layer = layer;
  origin.directory = document.directory;
  assign_table(table, document.root, "", origin, record, problems);
}

// Adds a fault for every required row that nobody set.
template <class Record>
void check_required(const FieldTable<Record>& table, const Record& record, const Span& where, const std::string& what,
                    Diagnostics& problems) {
  for (const Field<Record>& row : table) {
    if (!row.required || row.origin(record).layer != Layer::default_value) continue;
    problems.add(error("missing-key", what + " has no `" + row.path + "`").at(where).with_help(row.help));
  }
}

}  // namespace sanduk
