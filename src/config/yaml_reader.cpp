// The YAML subset that means what TOML means, through yaml-cpp's events (its Node hides anchors and duplicate keys).
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "config/reader.h"
#include "config/syntax_fault.h"

namespace sanduk {
namespace {

// Thrown out of the parser at the first thing that is not in the subset.
struct NotInSubset {
  Diagnostic diagnostic;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::shared_ptr<const Source> source) : source_(std::move(source)) {
    for (const std::string& line : split(source_->text, '\n')) lines_.push_back(line);
  }

  Node take_root() { return std::move(root_); }
  bool empty() const { return !has_root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) refuse(mark, "a second YAML document", "keep one document in the file");
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string&) override {
    refuse(mark, "a YAML anchor", "write the value out; use `extends` to share settings between profiles");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "a YAML alias", "write the value out; use `extends` to share settings between profiles");
  }

  // A value that was left out has no place of its own: yaml-cpp's mark is wherever it read on. Its key stands for it.
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    Node node;
    node.span = span(mark, 1);
    const std::string& line = node.span.line <= lines_.size() ? lines_[node.span.line - 1] : std::string();
    const std::string word = lower(std::string_view(line).substr(std::min(byte_of(mark), line.size()), 4));
    if (word == "null") node.span.length = 4;
    if (word != "null" && !word.starts_with('~') && !open_.empty() && open_.back().pending) {
      node.span = open_.back().pending->key_span;
    }
    add(std::move(node), mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    check_tag(mark, tag);
    Node node;
    node.kind = Node::Kind::string;
    node.plain = tag == "?";
    node.text = value;
    node.span = span(mark, 1);
    node.span.length = scalar_length(node);
    add(std::move(node), mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, Node::Kind::array);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark, tag, Node::Kind::table);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    std::optional<Entry> pending;                  // a key that waits for its value
    std::unordered_map<std::string, Span> keys{};  // of a table; entries are searched one by one
  };

  static std::size_t byte_of(const YAML::Mark& mark) { return static_cast<std::size_t>(std::max(mark.column, 0)); }

  // yaml-cpp counts bytes from 0; spans count characters from 1.
  Span span(const YAML::Mark& mark, std::size_t length) const {
    if (mark.line < 0) return {source_, 1, 1, length};
    const std::size_t line = static_cast<std::size_t>(mark.line);
    std::size_t column = static_cast<std::size_t>(mark.column);
    if (line < lines_.size()) {
      std::size_t characters = 0;
      for (std::size_t i = 0; i < column && i < lines_[line].size(); ++i) {
        if ((static_cast<unsigned char>(lines_[line][i]) & 0xc0) != 0x80) ++characters;
      }
      column = characters;
    }
    return {source_, line + 1, column + 1, length};
  }

  // The events carry no end: a plain scalar is as long as its text, a quoted one goes on to its quote.
  std::size_t scalar_length(const Node& node) const {
    const std::string& line = node.span.line <= lines_.size() ? lines_[node.span.line - 1] : node.text;
    if (node.plain) return std::max<std::size_t>(1, std::min(node.text.find('\n'), node.text.size()));
    const std::size_t at = node.span.column - 1;
    if (at >= line.size() || (line[at] != '"' && line[at] != '\'')) return 1;
    for (std::size_t end = at + 1; end < line.size(); ++end) {
      if (line[end] == '\\' && line[at] == '"')
        ++end;
      else if (line[end] == line[at])
        return end - at + 1;
    }
    return std::max<std::size_t>(1, line.size() - at);
  }

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& what, const std::string& help) const {
    throw NotInSubset{
        error("yaml-subset", what + " is not part of the YAML that profiles use").at(span(mark, 1)).with_help(help)};
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    refuse(mark, "a YAML tag", "leave `!…` out; the setting decides the type");
  }

  void open(const YAML::Mark& mark, const std::string& tag, Node::Kind kind) {
    check_tag(mark, tag);
    if (open_.size() >= deepest_document) {
      throw NotInSubset{error("too-deep", "nested deeper than " + std::to_string(deepest_document) + " levels")
                            .at(span(mark, 1))
                            .with_help("no setting lies deeper than three tables")};
    }
    if (!open_.empty() && open_.back().node.kind == Node::Kind::table && !open_.back().pending) {
      refuse(mark, "a key that is not a word", "write keys as plain words");
    }
    Open next;
    next.node.kind = kind;
    next.node.span = span(mark, 1);
    open_.push_back(std::move(next));
    marks_.push_back(mark);
  }

  void close() {
    Node node = std::move(open_.back().node);
    const YAML::Mark mark = marks_.back();
    open_.pop_back();
    marks_.pop_back();
    add(std::move(node), mark);
  }

  void add(Node node, const YAML::Mark& mark) {
    if (open_.empty()) {
      root_ = std::move(node);
      has_root_ = true;
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::array) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.pending) {
      parent.pending->value = std::move(node);
      parent.node.entries.push_back(std::move(*parent.pending));
      parent.pending.reset();
    } else {
      add_key(parent, node, mark);
    }
  }

  void add_key(Open& parent, const Node& node, const YAML::Mark& mark) {
    if (node.kind != Node::Kind::string) refuse(mark, "a key that is not a word", "write keys as plain words");
    if (node.plain && node.text == "<<") {
      refuse(mark, "a merge key `<<`", "use `extends` to share settings between profiles");
    }
    const auto [first, is_new] = parent.keys.try_emplace(node.text, node.span);
    if (!is_new) {
      throw NotInSubset{error("duplicate-key", "`" + node.text + "` is written twice in this table")
                            .at(node.span)
                            .at(first->second, "first written here")
                            .with_help("keep one of the two")};
    }
    parent.pending = Entry{node.text, node.span, Node()};
  }

  std::shared_ptr<const Source> source_;
  std::vector<std::string> lines_;
  std::vector<Open> open_;
  std::vector<YAML::Mark> marks_;
  Node root_;
  bool has_root_ = false;
  int documents_ = 0;
};

// yaml-cpp takes an unterminated quote at the end of the file for a whole string: that string, if there is one.
const Node* string_without_end(const Node& root, const std::shared_ptr<const Source>& source) {
  const std::vector<std::string> lines = split(source->text, '\n');
  const Node* last = &root;
  for (;;) {
    if (last->kind == Node::Kind::table && !last->entries.empty()) {
      last = &last->entries.back().value;
    } else if (last->kind == Node::Kind::array && !last->items.empty()) {
      last = &last->items.back();
    } else {
      break;
    }
  }
  if (last->kind != Node::Kind::string || last->plain || last->span.line > lines.size()) return nullptr;
  const std::string& line = lines[last->span.line - 1];
  const std::size_t at = last->span.column - 1;
  if (at >= line.size() || (line[at] != '"' && line[at] != '\'')) return nullptr;
  std::size_t offset = at;
  for (std::size_t i = 0; i + 1 < last->span.line; ++i) offset += lines[i].size() + 1;
  const char quote = line[at];
  for (std::size_t i = offset + 1; i < source->text.size(); ++i) {
    if (quote == '"' && source->text[i] == '\\')
      ++i;
    else if (source->text[i] == quote)
      return nullptr;
  }
  return last;
}

// %YAML and %TAG lines stand before the document; the events do not tell of them.
std::size_t line_of_directive(std::string_view text) {
  std::size_t number = 1;
  for (const std::string& line : split(text.substr(0, 65536), '\n')) {
    if (line.starts_with('%')) return number;
    if (!trim(line).empty() && !line.starts_with('#')) return 0;
    ++number;
  }
  return 0;
}

}  // namespace

std::optional<Node> read_yaml(const std::shared_ptr<const Source>& source, Diagnostics& problems) {
  if (const std::size_t line = line_of_directive(source->text)) {
    problems.add(error("yaml-subset", "a YAML directive is not part of the YAML that profiles use")
                     .at({source, line, 1})
                     .with_help("leave the `%` line out"));
    return std::nullopt;
  }
  TreeBuilder builder(source);
  try {
    std::istringstream stream(source->text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const NotInSubset& fault) {
    problems.add(fault.diagnostic);
    return std::nullopt;
  } catch (const YAML::Exception& fault) {
    const std::size_t line = static_cast<std::size_t>(std::max(fault.mark.line, 0)) + 1;
    const std::size_t column = static_cast<std::size_t>(std::max(fault.mark.column, 0)) + 1;
    problems.add(yaml_fault(source, fault.msg, line, column));
    return std::nullopt;
  }
  Node root = builder.take_root();
  if (builder.empty() || root.kind == Node::Kind::null) {
    root = Node();
    root.kind = Node::Kind::table;
    root.span = {source, 1, 1};
  }
  if (root.kind != Node::Kind::table) {
    problems.add(error("syntax", "not a table of settings but " + kind_name(root))
                     .at(root.span)
                     .with_help("write `key: value` lines"));
    return std::nullopt;
  }
  if (const Node* unfinished = string_without_end(root, source)) {
    problems.add(yaml_fault(source, "illegal EOF in scalar", unfinished->span.line, unfinished->span.column));
    return std::nullopt;
  }
  return root;
}

}  // namespace sanduk
