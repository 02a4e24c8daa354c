#include "config/argv.h"

#include <algorithm>

#include "base/text.h"
#include "config/reader.h"
#include "diagnostics/mask.h"

namespace sanduk {
namespace {

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

class ArgvReader {
 public:
  ArgvReader(const std::vector<std::string>& arguments, const std::vector<FlagRule>& rules,
             const std::filesystem::path& directory, Diagnostics& problems)
      : arguments_(arguments), rules_(rules), problems_(problems) {
    std::string line = "sanduk";
    for (const std::string& argument : arguments) {
      const std::string shown = printable(shell_quoted(argument));
      columns_.push_back(characters(line) + 2);
      lengths_.push_back(characters(shown));
      line += " " + shown;
    }
    source_ = std::make_shared<Source>(Source{"command line", line});
    result_.settings.source = source_;
    result_.settings.directory = directory;
    result_.settings.root.kind = Node::Kind::table;
  }

  CommandLine read() {
    bool flags_ended = false;
    for (at_ = 0; at_ < arguments_.size(); ++at_) {
      const std::string& word = arguments_[at_];
      if (!flags_ended && word == "--") {
        flags_ended = true;
      } else if (!flags_ended && word.size() > 1 && word[0] == '-') {
        read_flag(word);
      } else {
        result_.words.push_back(word);
        result_.word_spans.push_back(span(at_));
      }
    }
    return std::move(result_);
  }

 private:
  Span span(std::size_t index) const { return {source_, 1, columns_[index], lengths_[index]}; }

  const FlagRule* find_rule(const std::string& name) const {
    const auto found = std::find_if(rules_.begin(), rules_.end(), [&](const FlagRule& rule) {
      return rule.name == name || (!rule.short_name.empty() && rule.short_name == name);
    });
    return found == rules_.end() ? nullptr : &*found;
  }

  void read_flag(const std::string& word) {
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    const std::size_t flag_at = at_;
    const FlagRule* rule = find_rule(name);
    if (rule == nullptr && name != "--set") return unknown_flag(name);
    if (rule != nullptr && !rule->retired.empty()) return retired_flag(*rule, equals != std::string::npos);
    const bool bare_allowed = rule != nullptr && !rule->value.empty();
    std::string value;
    Span value_span = span(at_);
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
      const std::size_t skip = characters(word.substr(0, equals + 1));
      value_span.column += std::min(skip, value_span.length - 1);
      value_span.length = std::max<std::size_t>(1, value_span.length - std::min(skip, value_span.length));
    } else if (bare_allowed) {
      value = rule->value;
    } else if (at_ + 1 < arguments_.size()) {
      value = arguments_[++at_];
      value_span = span(at_);
    } else {
      problems_.add(error("missing-value", "`" + name + "` needs a value")
                        .at(span(flag_at))
                        .with_help("write " + name + " VALUE or " + name + "=VALUE"));
      return;
    }
    if (value_span.length == 0) value_span.length = 1;
    if (name == "--set") return read_set(value, value_span, flag_at);
    if (rule->path.empty()) return read_option(*rule, value, flag_at);
    put(rule->path, value, value_span, *rule, flag_at);
  }

  void unknown_flag(const std::string& name) {
    std::vector<std::string> names = {"--set"};
    for (const FlagRule& rule : rules_) names.push_back(rule.name);
    Diagnostic problem = error("unknown-flag", "unknown flag `" + masked(name) + "`").at(span(at_));
    const auto longer = std::find_if(names.begin(), names.end(), [&](const std::string& other) {
      return name.size() > 3 && other.starts_with(name);
    });
    if (longer != names.end()) {
      problem.with_help("flags are not abbreviated: write `" + *longer + "`");
    } else if (const std::optional<std::string> near = closest(name, names)) {
      problem.with_help("did you mean `" + *near + "`?");
    } else {
      problem.with_help("`sanduk --help` lists the flags; put `--` before a word that begins with a dash");
    }
    problems_.add(std::move(problem));
  }

  void retired_flag(const FlagRule& rule, bool has_value) {
    problems_.add(
        error("retired-flag", "`" + rule.name + "` is no more: " + rule.retired).at(span(at_)).with_help(rule.instead));
    if (!has_value && at_ + 1 < arguments_.size() && !arguments_[at_ + 1].starts_with('-')) ++at_;
  }

  void read_option(const FlagRule& rule, const std::string& value, std::size_t flag_at) {
    if (result_.options.contains(rule.name)) {
      problems_.add(error("repeated-flag", "`" + rule.name + "` is given twice")
                        .at(span(flag_at))
                        .at(result_.option_spans.at(rule.name), "first given here")
                        .with_help("keep one of the two"));
      return;
    }
    result_.options[rule.name] = value;
    result_.option_spans[rule.name] = span(flag_at);
  }

  // --set key.path=value: the value is a bare word, typed by the field, or a TOML array, string or inline table.
  void read_set(const std::string& text, const Span& at, std::size_t flag_at) {
    const std::size_t equals = text.find('=');
    const std::string path = text.substr(0, equals);
    if (equals == std::string::npos || path.empty() || path.find("..") != std::string::npos || path.starts_with('.') ||
        path.ends_with('.') || std::count(path.begin(), path.end(), '.') > 8) {
      problems_.add(error("missing-value", "`--set` needs a key path and a value")
                        .at(at)
                        .with_help("write --set key.path=value, such as --set caps.cpus=2"));
      return;
    }
    const std::string value = text.substr(equals + 1);
    if (!value.empty() && std::string_view("[{\"'").find(value[0]) != std::string_view::npos) {
      Diagnostics inner;
      const auto source = std::make_shared<Source>(Source{"--set", "value = " + value});
      const std::optional<Document> document = read_document(source, Format::toml, "", inner);
      if (!document || document->root.entries.size() != 1) {
        problems_.add(error("bad-value", "the value of `--set " + masked(path) + "` is not valid TOML")
                          .at(at)
                          .with_help("quote it for your shell as well, such as --set 'allow.models=[\"a\", \"b\"]'"));
        return;
      }
      Node node = document->root.entries[0].value;
      respan(node, at);
      place(path, std::move(node), flag_at, at);
      return;
    }
    Node node = word(value, at);
    place(path, std::move(node), flag_at, at);
  }

  static void respan(Node& node, const Span& at) {
    node.span = at;
    for (Node& item : node.items) respan(item, at);
    for (Entry& entry : node.entries) {
      entry.key_span = at;
      respan(entry.value, at);
    }
  }

  Node word(const std::string& value, const Span& at) const {
    Node node;
    node.kind = Node::Kind::string;
    node.plain = true;
    node.text = value;
    node.span = at;
    return node;
  }

  void put(const std::string& path, const std::string& value, const Span& at, const FlagRule& rule,
           std::size_t flag_at) {
    if (rule.is_map) {
      const std::size_t equals = value.find('=');
      if (equals == std::string::npos || equals == 0) {
        problems_.add(error("missing-value", "`" + rule.name + "` needs NAME=VALUE")
                          .at(at)
                          .with_help("write " + rule.name + " NAME=VALUE"));
        return;
      }
      Node table;
      table.kind = Node::Kind::table;
      table.span = at;
      table.entries.push_back({value.substr(0, equals), at, word(value.substr(equals + 1), at)});
      place(path, std::move(table), flag_at, at);
      return;
    }
    if (rule.is_list) {
      Node list;
      list.kind = Node::Kind::array;
      list.span = at;
      list.items.push_back(word(value, at));
      place(path, std::move(list), flag_at, at);
      return;
    }
    place(path, word(value, at), flag_at, at);
  }

  // Puts `node` at the dotted path, making tables on the way; lists and maps of several flags join.
  void place(const std::string& path, Node node, std::size_t flag_at, const Span& at) {
    Node* table = &result_.settings.root;
    const std::vector<std::string> parts = split(path, '.');
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      Entry* entry = table->find(parts[i]);
      if (entry == nullptr) {
        Node next;
        next.kind = Node::Kind::table;
        next.span = at;
        table->entries.push_back({parts[i], at, std::move(next)});
        entry = &table->entries.back();
      }
      if (entry->value.kind != Node::Kind::table) return repeated(path, *entry, flag_at);
      table = &entry->value;
    }
    Entry* existing = table->find(parts.back());
    if (existing == nullptr) {
      table->entries.push_back({parts.back(), at, std::move(node)});
      result_.set_paths.push_back(path);
    } else if (existing->value.kind == Node::Kind::array && node.kind == Node::Kind::array) {
      for (Node& item : node.items) existing->value.items.push_back(std::move(item));
    } else if (existing->value.kind == Node::Kind::table && node.kind == Node::Kind::table) {
      for (Entry& entry : node.entries) existing->value.entries.push_back(std::move(entry));
    } else {
      repeated(path, *existing, flag_at);
    }
  }

  void repeated(const std::string& path, const Entry& first, std::size_t flag_at) {
    problems_.add(error("repeated-flag", "`" + path + "` is set twice on the command line")
                      .at(span(flag_at))
                      .at(first.key_span, "first set here")
                      .with_help("keep one of the two"));
  }

  const std::vector<std::string>& arguments_;
  const std::vector<FlagRule>& rules_;
  Diagnostics& problems_;
  std::shared_ptr<const Source> source_;
  std::vector<std::size_t> columns_;
  std::vector<std::size_t> lengths_;
  std::size_t at_ = 0;
  CommandLine result_;
};

}  // namespace

CommandLine read_argv(const std::vector<std::string>& arguments, const std::vector<FlagRule>& rules,
                      const std::filesystem::path& directory, Diagnostics& problems) {
  return ArgvReader(arguments, rules, directory, problems).read();
}

}  // namespace sanduk
