// sanduk explain CODE: what a message's code word means.
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "diagnostics/codes.h"
#include "diagnostics/mask.h"

namespace sanduk {
namespace {

constexpr std::size_t widest_line = 100;

std::string wrapped(const std::string& text) {
  std::string result;
  std::size_t column = 0;
  for (const std::string& word : split(text, ' ')) {
    if (column > 0 && column + 1 + word.size() > widest_line) {
      result += '\n';
      column = 0;
    }
    if (column > 0) result += ' ';
    result += word;
    column += word.size() + (column > 0 ? 1 : 0);
  }
  return result + "\n";
}

std::string codes_json() {
  JsonWriter json(2);
  json.begin_object().key("codes").begin_array();
  for (const CodeGroup& group : code_groups()) {
    for (const CodeDoc& doc : group.codes) {
      json.begin_object()
          .field("code", doc.code)
          .field("group", group.title)
          .field("meaning", doc.paragraph)
          .end_object();
    }
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

std::string codes_text() {
  std::string text;
  for (const CodeGroup& group : code_groups()) {
    text += (text.empty() ? "" : "\n") + std::string(group.title) + "\n";
    for (const CodeDoc& doc : group.codes) text += "  " + std::string(doc.code) + "\n";
  }
  return text;
}

}  // namespace

int run_explain(const Invocation& call, World&) {
  if (call.words.empty()) {
    print_result(call.has("--json") ? codes_json() : codes_text());
    return exit_done;
  }
  const std::string& word = call.words[0];
  if (const CodeDoc* doc = find_code(word)) {
    JsonWriter json(2);
    json.begin_object().field("code", doc->code).field("meaning", doc->paragraph).end_object();
    print_result(call.has("--json") ? json.text() + "\n" : word + ": " + wrapped(std::string(doc->paragraph)));
    return exit_done;
  }
  Diagnostics problems;
  const std::optional<std::string> near = closest(word, code_words());
  problems.add(error("usage", "there is no code `" + masked(word) + "`")
                   .at(call.span_of_word(0))
                   .with_help(near ? "did you mean `" + *near + "`?" : "`sanduk explain` lists them"));
  return report_problems(problems, call.terminal);
}

}  // namespace sanduk
