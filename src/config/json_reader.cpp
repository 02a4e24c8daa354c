// JSON as tools write it, strictly (RFC 8259): no comments, no trailing commas, no key twice.
#include <charconv>

#include "config/reader.h"

namespace sanduk {
namespace {

struct JsonFault {
  Diagnostic diagnostic;
};

class JsonTree {
 public:
  explicit JsonTree(std::shared_ptr<const Source> source) : source_(std::move(source)), text_(source_->text) {}

  Node whole() {
    skip_blanks();
    Node root = value(0);
    skip_blanks();
    if (at_ < text_.size()) refuse("more text behind the value", "keep one value in the file");
    return root;
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& help = "") const {
    Diagnostic problem = error("syntax", "not valid JSON: " + what).at(here(1));
    throw JsonFault{problem.with_help(help)};
  }

  // Columns count characters: bytes that continue one do not count.
  Span here(std::size_t length) const { return {source_, line_, column_, length}; }

  bool ended() const { return at_ >= text_.size(); }
  char peek() const { return ended() ? '\0' : text_[at_]; }

  void step() {
    if (text_[at_] == '\n') {
      ++line_;
      column_ = 1;
    } else if ((static_cast<unsigned char>(at_ + 1 < text_.size() ? text_[at_ + 1] : ' ') & 0xc0) != 0x80) {
      ++column_;
    }
    ++at_;
  }

  void skip_blanks() {
    while (!ended() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) step();
  }

  void expect(char wanted) {
    if (peek() != wanted) {
      refuse(ended() ? "the file ends too early" : std::string("a `") + wanted + "` is missing here");
    }
    step();
  }

  Node value(std::size_t depth) {
    if (depth > deepest_document) {
      throw JsonFault{error("too-deep", "nested deeper than " + std::to_string(deepest_document) + " levels")
                          .at(here(1))
                          .with_help("no setting lies deeper than three tables")};
    }
    Node node;
    node.span = here(1);
    const std::size_t begin = at_;
    switch (peek()) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        node.kind = Node::Kind::string;
        node.text = string();
        break;
      case 't':
      case 'f':
      case 'n':
        word(node);
        break;
      default:
        number(node);
    }
    const std::size_t length = column_ - node.span.column;
    node.span.length = at_ > begin && length > 0 ? length : 1;
    return node;
  }

  Node object(std::size_t depth) {
    Node node;
    node.kind = Node::Kind::table;
    node.span = here(1);
    step();
    for (skip_blanks(); peek() != '}'; skip_blanks()) {
      if (!node.entries.empty()) {
        expect(',');
        skip_blanks();
      }
      if (peek() != '"') refuse("a key in quotes is missing here", "take a comma behind the last entry out");
      Entry entry;
      entry.key_span = here(1);
      entry.key = string();
      entry.key_span.length = std::max<std::size_t>(1, column_ - entry.key_span.column);
      if (const Entry* first = node.find(entry.key)) {
        throw JsonFault{error("duplicate-key", "`" + entry.key + "` is written twice in this table")
                            .at(entry.key_span)
                            .at(first->key_span, "first written here")
                            .with_help("keep one of the two")};
      }
      skip_blanks();
      expect(':');
      skip_blanks();
      entry.value = value(depth + 1);
      node.entries.push_back(std::move(entry));
    }
    step();
    return node;
  }

  Node array(std::size_t depth) {
    Node node;
    node.kind = Node::Kind::array;
    node.span = here(1);
    step();
    for (skip_blanks(); peek() != ']'; skip_blanks()) {
      if (!node.items.empty()) {
        expect(',');
        skip_blanks();
      }
      node.items.push_back(value(depth + 1));
    }
    step();
    return node;
  }

  void word(Node& node) {
    for (const std::string_view known : {"true", "false", "null"}) {
      if (text_.substr(at_, known.size()) != known) continue;
      for (std::size_t i = 0; i < known.size(); ++i) step();
      node.kind = known == "null" ? Node::Kind::null : Node::Kind::boolean;
      node.boolean = known == "true";
      return;
    }
    refuse("this is no value", "values are strings in quotes, numbers, true, false, lists and tables");
  }

  void number(Node& node) {
    const std::size_t begin = at_;
    while (!ended() && std::string_view("+-.0123456789eE").find(text_[at_]) != std::string_view::npos) step();
    const std::string_view digits = text_.substr(begin, at_ - begin);
    const std::string_view bare = digits.starts_with('-') ? digits.substr(1) : digits;
    const bool zero_first = bare.size() > 1 && bare[0] == '0' && bare[1] >= '0' && bare[1] <= '9';
    const bool starts = !bare.empty() && bare[0] >= '0' && bare[0] <= '9';
    const std::size_t dot = bare.find('.');
    const bool cut =
        dot != std::string_view::npos && (dot + 1 >= bare.size() || bare[dot + 1] < '0' || bare[dot + 1] > '9');
    if (ended() && digits.empty()) refuse("the file ends too early");
    if (!starts || zero_first || cut)
      refuse("this is no value", "values are strings in quotes, numbers, true, false, lists and tables");
    const char* end = digits.data() + digits.size();
    const bool whole = digits.find_first_of(".eE") == std::string_view::npos;
    node.kind = whole ? Node::Kind::integer : Node::Kind::floating;
    const auto [stopped, failed] =
        whole ? std::from_chars(digits.data(), end, node.integer) : std::from_chars(digits.data(), end, node.floating);
    if (failed != std::errc() || stopped != end)
      refuse("this number cannot be read", "write a smaller or a plainer one");
  }

  std::string string() {
    std::string result;
    step();
    while (peek() != '"') {
      if (ended() || peek() == '\n') refuse("a string has no closing quote");
      if (peek() == '\\') {
        escape(result);
      } else {
        result += text_[at_];
        step();
      }
    }
    step();
    return result;
  }

  void escape(std::string& result) {
    step();
    const char kind = peek();
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (const std::size_t known = names.find(kind); !ended() && known != std::string_view::npos) {
      result += meanings[known];
      step();
      return;
    }
    if (kind != 'u') refuse("an escape that JSON does not have");
    step();
    unsigned code = unit();
    if (code >= 0xd800 && code <= 0xdbff) {
      if (peek() != '\\') refuse("half of a surrogate pair");
      step();
      if (peek() != 'u') refuse("half of a surrogate pair");
      step();
      const unsigned low = unit();
      if (low < 0xdc00 || low > 0xdfff) refuse("half of a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code <= 0xdfff) {
      refuse("half of a surrogate pair");
    }
    append_utf8(result, code);
  }

  unsigned unit() {
    unsigned code = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || failed != std::errc() || end != digits.data() + 4)
      refuse("`\\u` needs four hexadecimal digits");
    for (int i = 0; i < 4; ++i) step();
    return code;
  }

  static void append_utf8(std::string& into, unsigned code) {
    if (code < 0x80) {
      into += static_cast<char>(code);
    } else if (code < 0x800) {
      into += static_cast<char>(0xc0 | (code >> 6));
      into += static_cast<char>(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      into += static_cast<char>(0xe0 | (code >> 12));
      into += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      into += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      into += static_cast<char>(0xf0 | (code >> 18));
      into += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
      into += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      into += static_cast<char>(0x80 | (code & 0x3f));
    }
  }

  std::shared_ptr<const Source> source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
};

}  // namespace

std::optional<Node> read_json(const std::shared_ptr<const Source>& source, Diagnostics& problems) {
  try {
    Node root = JsonTree(source).whole();
    if (root.kind != Node::Kind::table) {
      problems.add(error("syntax", "not a table of settings but " + kind_name(root))
                       .at(root.span)
                       .with_help("write { \"key\": value, … }"));
      return std::nullopt;
    }
    // Editors put the schema's address there; it says nothing about the run.
    std::erase_if(root.entries,
                  [](const Entry& entry) { return entry.key == "$schema" && entry.value.kind == Node::Kind::string; });
    return root;
  } catch (const JsonFault& fault) {
    problems.add(fault.diagnostic);
    return std::nullopt;
  }
}

}  // namespace sanduk
