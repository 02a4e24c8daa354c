// TOML 1.0 through toml++; see "reader facts" in src/README.md for what is checked around it.
#include <toml++/toml.h>

#include <algorithm>

#include "config/reader.h"

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

  Node table(const toml::table& from) const {
    Node node;
    node.kind = Node::Kind::table;
    node.span = span(from.source());
    for (const auto& [key, value] : from) {
      node.entries.push_back({std::string(key.str()), span(key.source()), any(value)});
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

  Node any(const toml::node& from) const {
    if (const toml::table* inner = from.as_table()) return table(*inner);
    Node node;
    node.span = span(from.source());
    if (const toml::array* array = from.as_array()) {
      node.kind = Node::Kind::array;
      for (const toml::node& item : *array) node.items.push_back(any(item));
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
};

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
    return TomlTree(source).table(parsed);
  } catch (const toml::parse_error& fault) {
    problems.add(error("syntax", "not valid TOML: " + std::string(fault.description()))
                     .at({source, fault.source().begin.line, fault.source().begin.column}));
    return std::nullopt;
  }
}

}  // namespace sanduk
