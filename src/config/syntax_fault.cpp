#include "config/syntax_fault.h"

#include <array>
#include <string_view>

#include "base/text.h"
#include "config/reader.h"

namespace sanduk {
namespace {

// A part of the parser's own words, and what it stands for.
struct Fault {
  std::string_view parser_says;
  std::string_view message;
  std::string_view help;
};

// The first row that fits counts.
constexpr std::array toml_faults = {
    Fault{"boolean: expected", "not a value", "write `true` or `false` in lower case, or put text in quotes"},
    Fault{"could not determine value type", "text without quotes", "put text in quotes: key = \"text\""},
    Fault{"control characters other than TAB", "a quoted text does not end on its line",
          "close the quote; text of several lines stands between three quotes"},
    Fault{"string: encountered end-of-file", "a quoted text has no end", "close it with the quotes that opened it"},
    Fault{"array: encountered end-of-file", "a list has no end", "close it with `]`"},
    Fault{"leading zeroes", "a number begins with 0", "leave the zero out, or put the value in quotes"},
    Fault{"not representable in 64 bits", "the number is too large", "write one of at most 18 digits"},
    Fault{"expected '=', saw ':'", "a key and its value are joined by `=` in TOML, not by `:`",
          "write key = value, or name the file NAME.yaml"},
    Fault{"key-value pair: expected '='", "a key without `=`", "write key = value"},
    Fault{"dangling comma", "an inline table ends with a comma", "take the last comma out"},
    Fault{"inline table: expected key or closing", "an inline table does not end on its line",
          "close it with `}` on its line, or write a [table]"},
    Fault{"table header: expected ']'", "a table's name without its `]`", "write [name]"},
    Fault{"unknown escape sequence", "an unknown escape in a quoted text",
          "write \\\\ for a backslash, or put the text in single quotes"},
    Fault{"expected value", "a key without a value", "give a value, or leave the key out"},
    Fault{"expected a comment or whitespace", "something stands behind the value on its line",
          "write one setting a line"},
};

constexpr std::array yaml_faults = {
    Fault{"end of map flow", "a `{` has no `}`", "close it, or write the settings below one another"},
    Fault{"end of sequence flow", "a `[` has no `]`", "close it with `]`"},
    Fault{"end of map", "this line does not fit the ones above it", "indent all keys of a table alike"},
    Fault{"end of sequence", "this line does not fit the list above it", "indent all entries of a list alike"},
    Fault{"illegal map value", "a `:` where no value can stand",
          "put text that holds `: ` in quotes, and indent all keys of a table alike"},
    Fault{"illegal flow end", "a `}` or `]` that closes nothing", "take it out, or put the text in quotes"},
    Fault{"illegal block entry", "a list entry where none can stand", "indent all entries of a list alike"},
    Fault{"unknown escape", "an unknown escape in a quoted text",
          "write \\\\ for a backslash, or put the text in single quotes"},
    Fault{"illegal EOF in scalar", "a quoted text has no end", "close it with the quote that opened it"},
    Fault{"unknown token", "a character that cannot begin a value", "put the value in quotes"},
};

template <std::size_t N>
const Fault* find_row(const std::array<Fault, N>& table, const std::string& why) {
  for (const Fault& row : table) {
    if (why.find(row.parser_says) != std::string::npos) return &row;
  }
  return nullptr;
}

std::string line_text(const Source& source, std::size_t line) {
  const std::vector<std::string> lines = split(source.text, '\n');
  return line >= 1 && line <= lines.size() ? lines[line - 1] : "";
}

Diagnostic told(const std::string& language, const Fault* row, const std::string& why, const std::string& help) {
  const std::string message = row != nullptr ? std::string(row->message) : why;
  return error("syntax", "not valid " + language + ": " + message)
      .with_help(row != nullptr ? std::string(row->help) : help);
}

bool is_indented_with_a_tab(const std::string& line) {
  const std::size_t end = line.find_first_not_of(" \t");
  return line.substr(0, end).find('\t') != std::string::npos;
}

}  // namespace

Diagnostic toml_fault(const std::shared_ptr<const Source>& source, const std::string& why, std::size_t line,
                      std::size_t column) {
  const Span at{source, line, column};
  if (why.find("nested value depth") != std::string::npos) {
    return error("too-deep", "nested deeper than " + std::to_string(deepest_document) + " levels")
        .at(at)
        .with_help("no setting lies deeper than three tables");
  }
  // "Error while parsing array: …": what the parser was busy with says nothing to the reader.
  const std::size_t behind = why.starts_with("Error while parsing ") ? why.find(": ") : std::string::npos;
  const std::string bare = behind == std::string::npos ? why : why.substr(behind + 2);
  return told("TOML", find_row(toml_faults, why), bare, "see https://toml.io/en/v1.0.0").at(at);
}

Diagnostic yaml_fault(const std::shared_ptr<const Source>& source, const std::string& why, std::size_t line,
                      std::size_t column) {
  // At the end of the file nothing stands that could be shown: the last line that holds something does.
  const std::vector<std::string> lines = split(source->text, '\n');
  while (line > 1 && (line > lines.size() || trim(lines[line - 1]).empty())) {
    --line;
    column = lines.size() >= line ? std::max<std::size_t>(1, lines[line - 1].size()) : 1;
  }
  if (is_indented_with_a_tab(line_text(*source, line))) {
    return error("syntax", "not valid YAML: this line is indented with a tab")
        .at({source, line, 1})
        .with_help("indent with blanks");
  }
  if (why.find("anchor") != std::string::npos || why.find("alias") != std::string::npos) {
    return error("yaml-subset", "a YAML alias is not part of the YAML that profiles use")
        .at({source, line, column})
        .with_help("write the value out; put text that begins with `*` or `&` in quotes");
  }
  const std::string words = why == "bad file" ? "nested too deep" : why;
  return told("YAML", find_row(yaml_faults, why), words, "see https://yaml.org/spec/1.2.2").at({source, line, column});
}

}  // namespace sanduk
