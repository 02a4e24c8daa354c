// A positioned tree: what a TOML or YAML file, or the command line, says, before anybody decides what it means.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace sanduk {

struct Entry;

// One value. A `plain` string is an unquoted YAML scalar or a word of the command line: its type is that of the field
// that it is read into, so that `yes`, `0755` or `12:30` never turn into something else on the way.
struct Node {
  enum class Kind { null, boolean, integer, floating, string, datetime, array, table };

  Kind kind = Kind::null;
  Span span;
  bool plain = false;
  bool boolean = false;
  std::int64_t integer = 0;
  double floating = 0;
  std::string text;            // of a string; of a datetime, as written
  std::vector<Node> items;     // of an array
  std::vector<Entry> entries;  // of a table, in file order

  const Entry* find(std::string_view key) const;
  Entry* find(std::string_view key);
};

struct Entry {
  std::string key;
  Span key_span;
  Node value;
};

// "a string", "an array" … as messages say it.
std::string kind_name(const Node& node);

// A whole file (or the command line) as a tree.
struct Document {
  std::shared_ptr<const Source> source;
  std::filesystem::path directory;  // relative paths in it start here
  Node root;                        // a table
};

}  // namespace sanduk
