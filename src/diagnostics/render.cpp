#include "diagnostics/render.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "diagnostics/mask.h"

namespace sanduk {
namespace {

constexpr std::size_t longest_excerpt = 160;  // characters

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::size_t byte_of_character(std::string_view text, std::size_t wanted) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) continue;
    if (seen++ == wanted) break;
  }
  return at;
}

// The line of a span, safe to show: controls out, credentials masked, a sensitive span masked whole.
std::string excerpt(const Span& span) {
  const std::vector<std::string> lines = split(span.source->text, '\n');
  if (span.line > lines.size()) return "";
  std::string line = lines[span.line - 1];
  if (line.ends_with('\r')) line.pop_back();
  if (span.sensitive) {
    const std::size_t begin = byte_of_character(line, span.column - 1);
    const std::size_t end = byte_of_character(line, span.column - 1 + span.length);
    line.replace(begin, end - begin, std::string(characters(std::string_view(line).substr(begin, end - begin)), '*'));
  }
  return printable(replace_all(masked(line), "\t", " "));
}

struct Paint {
  bool on;
  std::string operator()(const char* code, const std::string& text) const {
    return on ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
  }
};

std::string place(const Span& span) {
  return printable(masked_words(span.source->name)) + ":" + std::to_string(span.line) + ":" +
         std::to_string(span.column);
}

// One label: its place, its line, and the marks below.
std::string render_label(const Label& label, bool first, std::size_t gutter, const Paint& paint) {
  const Span& span = label.span;
  const std::string margin(gutter, ' ');
  std::string line = excerpt(span);
  std::size_t column = span.column;
  std::size_t length = std::max<std::size_t>(span.length, 1);
  if (characters(line) > longest_excerpt) {
    const std::size_t from = column > longest_excerpt / 2 ? column - longest_excerpt / 2 : 0;
    const std::size_t begin = byte_of_character(line, from);
    const std::size_t end = byte_of_character(line, from + longest_excerpt);
    line = (from > 0 ? "…" : "") + line.substr(begin, end - begin) + (end < line.size() ? "…" : "");
    column = column - from + (from > 0 ? 1 : 0);
  }
  length = std::min(length, std::max<std::size_t>(1, characters(line) + 1 - std::min(column, characters(line) + 1)));
  std::string text = margin + (first ? paint("1;34", "-->") : paint("1;34", ":::")) + " " + place(span) + "\n";
  text += margin + " " + paint("1;34", "|") + "\n";
  const std::string number = std::to_string(span.line);
  text +=
      paint("1;34", std::string(gutter - number.size(), ' ') + number + " |") + (line.empty() ? "" : " " + line) + "\n";
  const std::string marks(length, first ? '^' : '-');
  text += margin + " " + paint("1;34", "|") + " " + std::string(column - 1, ' ') +
          paint(first ? "1;31" : "1;34", marks) +
          (label.text.empty() ? "" : " " + printable(masked_words(label.text))) + "\n";
  return text;
}

void write_span(JsonWriter& json, const Label& label) {
  json.begin_object();
  json.field("file", masked_words(label.span.source->name));
  json.field("line", static_cast<std::int64_t>(label.span.line));
  json.field("column", static_cast<std::int64_t>(label.span.column));
  json.field("length", static_cast<std::int64_t>(label.span.length));
  json.field("text", masked_words(label.text));
  json.end_object();
}

}  // namespace

std::string render_json(const Diagnostics& problems) {
  const std::vector<Diagnostic> list = problems.sorted();
  JsonWriter json(2);
  json.begin_object();
  json.field("errors", static_cast<std::int64_t>(problems.count_errors()));
  json.field("warnings", static_cast<std::int64_t>(list.size() - problems.count_errors()));
  json.key("diagnostics").begin_array();
  for (const Diagnostic& diagnostic : list) {
    json.begin_object();
    json.field("severity", diagnostic.severity == Severity::error ? "error" : "warning");
    json.field("code", diagnostic.code);
    json.field("message", masked_words(diagnostic.message));
    json.key("labels").begin_array();
    for (const Label& label : diagnostic.labels) {
      if (label.span.known()) write_span(json, label);
    }
    json.end_array();
    json.key("notes").begin_array();
    for (const std::string& note : diagnostic.notes) json.string(masked_words(note));
    json.end_array();
    json.field("help", masked_words(diagnostic.help));
    json.end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

std::string render_text(const Diagnostic& diagnostic, const RenderStyle& style) {
  const Paint paint{style.color};
  const bool is_error = diagnostic.severity == Severity::error;
  std::string text = paint(is_error ? "1;31" : "1;33", (is_error ? "error[" : "warning[") + diagnostic.code + "]");
  text += paint("1", ": " + printable(masked_words(diagnostic.message))) + "\n";
  std::size_t gutter = 1;
  for (const Label& label : diagnostic.labels) gutter = std::max(gutter, std::to_string(label.span.line).size());
  bool first = true;
  for (const Label& label : diagnostic.labels) {
    if (!label.span.known()) continue;
    text += render_label(label, first, gutter, paint);
    first = false;
  }
  const std::string margin(gutter, ' ');
  for (const std::string& note : diagnostic.notes)
    text += margin + " = note: " + printable(masked_words(note), true) + "\n";
  if (!diagnostic.help.empty())
    text += margin + " = " + paint("1;36", "help") + ": " + printable(masked_words(diagnostic.help), true) + "\n";
  return text;
}

std::string render_text(const Diagnostics& problems, const RenderStyle& style) {
  std::string text;
  for (const Diagnostic& diagnostic : problems.sorted()) text += render_text(diagnostic, style) + "\n";
  const std::size_t errors = problems.count_errors();
  if (errors > 0)
    text += "sanduk: " + std::to_string(errors) + (errors == 1 ? " error" : " errors") + "; nothing was started\n";
  return text;
}

}  // namespace sanduk
