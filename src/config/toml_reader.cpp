// TOML 1.0 through toml++; see "reader facts" in src/README.md for what is checked around it.
#include <toml++/toml.h>

#include <algorithm>

#include "base/text.h"
#include "config/reader.h"
#include "config/syntax_fault.h"

namespace sanduk {
namespace {

// toml++ recurses once per part of a dotted key and does not bound it: measure before it parses. Returns the line of
// a key with too many parts, or 0.
std::size_t line_of_too_deep_key(std::string_view text) {
  std::size_t line = 1;
  std::size_t dots = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (c == '"' || c == '\'') {
      const bool triple = text.substr(at, 3) == std::string(3, c);
      const std::string_view closing = triple ? text.substr(at, 3) : text.substr(at, 1);
      at += closing.size();
      while (at < text.size() && text.substr(at, closing.size()) != closing) {
        if (text[at] == '\n') {
          if (!triple) break;
          ++line;
        }
        at += text[at] == '\\' && c == '"' ? 2 : 1;
      }
      at += closing.size() - 1;
    } else if (c == '.') {
      if (++dots > deepest_document) return line;
    } else if (std::string_view("=,{}[]\n").find(c) != std::string_view::npos) {
      dots = 0;
      if (c == '\n') ++line;
    }
  }
  return 0;
}

class TomlTree {
 public:
  explicit TomlTree(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  // Where the tree first lies deeper than it may; line 0 when it does not.
  const Span& too_deep_at() const { return too_deep_at_; }

  Node table(const toml::table& from, std::size_t depth = 0) {
    Node node;
    node.kind = Node::Kind::table;
    node.span = span(from.source());
    if (is_too_deep(node, depth)) return node;
    for (const auto& [key, value] : from) {
      node.entries.push_back({std::string(key.str()), span(key.source()), any(value, depth + 1)});
    }
    // toml++ sorts by key: put the entries back into file order.
    std::stable_sort(node.entries.begin(), node.entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.key_span.line, a.key_span.column) < std::pair(b.key_span.line, b.key_span.column);
    });
    return node;
  }

 private:
  Span span(const toml::source_region& region) const {
    Span result{source_, region.begin.line, region.begin.column};
    if (region.end.line == region.begin.line && region.end.column > region.begin.column) {
      result.length = region.end.column - region.begin.column;
    }
    return result;
  }

  bool is_too_deep(const Node& node, std::size_t depth) {
    if (depth <= deepest_document) return false;
    if (!too_deep_at_.known()) too_deep_at_ = {node.span.source, node.span.line, node.span.column};
    return true;
  }

  Node any(const toml::node& from, std::size_t depth) {
    if (const toml::table* inner = from.as_table()) return table(*inner, depth);
    Node node;
    node.span = span(from.source());
    if (const toml::array* array = from.as_array()) {
      node.kind = Node::Kind::array;
      if (is_too_deep(node, depth)) return node;
      for (const toml::node& item : *array) node.items.push_back(any(item, depth + 1));
    } else if (const auto* text = from.as_string()) {
      node.kind = Node::Kind::string;
      node.text = text->get();
    } else if (const auto* integer = from.as_integer()) {
      node.kind = Node::Kind::integer;
      node.integer = integer->get();
    } else if (const auto* floating = from.as_floating_point()) {
      node.kind = Node::Kind::floating;
      node.floating = floating->get();
    } else if (const auto* boolean = from.as_boolean()) {
      node.kind = Node::Kind::boolean;
      node.boolean = boolean->get();
    } else {
      node.kind = Node::Kind::datetime;
    }
    return node;
  }

  std::shared_ptr<const Source> source_;
  Span too_deep_at_;
};

Diagnostic too_deep(const Span& at) {
  return error("too-deep", "nested deeper than " + std::to_string(deepest_document) + " levels")
      .at(at)
      .with_help("no setting lies deeper than three tables");
}

// The table that ends with the key `name`, or null: where the next line of a file would put its setting.
const toml::table* table_that_holds(const toml::table& table, std::string_view name) {
  if (table.contains(name)) return &table;
  for (const auto& [key, value] : table) {
    const toml::node* inner = &value;
    if (const toml::array* array = value.as_array(); array != nullptr && !array->empty()) inner = &array->back();
    if (const toml::table* below = inner->as_table()) {
      if (const toml::table* found = table_that_holds(*below, name)) return found;
    }
  }
  return nullptr;
}

// Follows the one path that `wanted` holds into `from`; the last key that is there.
const toml::key* last_key_on_path(const toml::table& wanted, const toml::table& from) {
  const toml::key* last = nullptr;
  const toml::table* want = &wanted;
  const toml::table* have = &from;
  while (want != nullptr && have != nullptr && !want->empty()) {
    const auto [key, value] = *want->begin();
    const auto found = have->find(key.str());
    if (found == have->end()) break;
    last = &found->first;
    want = value.as_table();
    const toml::node* inner = &found->second;
    if (const toml::array* array = inner->as_array(); array != nullptr && !array->empty()) inner = &array->back();
    have = inner->as_table();
  }
  return last;
}

// A key or table that is there already: where it was first, found by reading the file up to the line that repeats it.
Diagnostic duplicate(const std::shared_ptr<const Source>& source, std::size_t line) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i < line; ++i) begin = source->text.find('\n', begin) + 1;
  const std::string_view text = std::string_view(source->text).substr(begin, source->text.find('\n', begin) - begin);
  const std::size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
  const bool is_header = text.substr(indent).starts_with("[");
  const std::string_view key = trim(is_header ? text.substr(0, text.rfind(']') + 1) : text.substr(0, text.find('=')));
  Diagnostic problem = error("duplicate-key", "`" + std::string(key) + "` is written twice");
  problem.at({source, line, indent + 1, std::max<std::size_t>(key.size(), 1)}).with_help("keep one of the two");
  constexpr std::string_view mark = "the-next-setting";
  try {
    const toml::table before = toml::parse(source->text.substr(0, begin) + "\n" + std::string(mark) + " = 0\n");
    const toml::table wanted = toml::parse(std::string(key) + (is_header ? "\n" : " = 0\n"));
    const toml::table* here = is_header ? &before : table_that_holds(before, mark);
    const toml::key* first = here != nullptr ? last_key_on_path(wanted, *here) : nullptr;
    if (first != nullptr) {
      const toml::source_region& at = first->source();
      problem.at({source, at.begin.line, at.begin.column, std::max<std::size_t>(first->str().size(), 1)},
                 "first written here");
    }
  } catch (const toml::parse_error&) {
    // Inside of something that goes over several lines: the place of the second must do.
  }
  return problem;
}

}  // namespace

std::optional<Node> read_toml(const std::shared_ptr<const Source>& source, Diagnostics& problems) {
  if (const std::size_t line = line_of_too_deep_key(source->text)) {
    problems.add(error("too-deep", "this key has more than " + std::to_string(deepest_document) + " parts")
                     .at({source, line, 1})
                     .with_help("no setting lies deeper than three tables"));
    return std::nullopt;
  }
  try {
    const toml::table parsed = toml::parse(source->text, source->name);
    TomlTree tree(source);
    Node root = tree.table(parsed);
    if (!tree.too_deep_at().known()) return root;
    problems.add(too_deep(tree.too_deep_at()));
  } catch (const toml::parse_error& fault) {
    const std::string why(fault.description());
    const toml::source_position& at = fault.source().begin;
    const bool repeated = why.find("cannot redefine existing") != std::string::npos;
    problems.add(repeated ? duplicate(source, at.line) : toml_fault(source, why, at.line, at.column));
  }
  return std::nullopt;
}

}  // namespace sanduk
