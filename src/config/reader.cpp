#include "config/reader.h"

#include <algorithm>
#include <cerrno>

#include "base/files.h"
#include "base/text.h"

namespace sanduk {
namespace {

Diagnostic too_large(const std::string& name) {
  return error("file-too-large", "`" + name + "` is larger than " + human_bytes(largest_document))
      .with_help("a profile is a few lines; did you name the right file?");
}

// Where in `line` the first bytes stand that are not UTF-8, in characters from 1.
std::size_t first_bad_character(std::string_view line) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < line.size(); ++characters) {
    std::size_t length = 1;
    while (length <= 4 && !is_valid_utf8(line.substr(at, length))) ++length;
    if (length > 4) break;
    at += length;
  }
  return characters + 1;
}

// What no configuration file may hold, whatever its format.
bool check_bytes(const std::shared_ptr<const Source>& source, Diagnostics& problems) {
  const std::string& text = source->text;
  std::size_t line = 1;
  std::size_t start = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] != '\n') {
      const auto byte = static_cast<unsigned char>(text[at]);
      if ((byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7f) {
        problems.add(error("invalid-bytes", "the file holds a control character (byte " + std::to_string(byte) + ")")
                         .at({source, line, first_bad_character(std::string_view(text).substr(start, at - start))})
                         .with_help("remove it, or write it as an escape inside a quoted string"));
        return false;
      }
      continue;
    }
    if (!is_valid_utf8(std::string_view(text).substr(start, at - start))) {
      problems.add(error("invalid-bytes", "this line is not valid UTF-8")
                       .at({source, line, first_bad_character(std::string_view(text).substr(start, at - start))})
                       .with_help("save the file as UTF-8"));
      return false;
    }
    ++line;
    start = at + 1;
  }
  return true;
}

}  // namespace

std::optional<Format> format_of(const std::filesystem::path& path) {
  const std::string extension = lower(path.extension().string());
  if (extension == ".toml") return Format::toml;
  if (extension == ".yaml" || extension == ".yml") return Format::yaml;
  if (extension == ".json") return Format::json;
  return std::nullopt;
}

std::optional<Document> read_document(std::shared_ptr<const Source> source, Format format,
                                      std::filesystem::path directory, Diagnostics& problems) {
  if (source->text.size() > largest_document) {
    problems.add(too_large(source->name));
    return std::nullopt;
  }
  if (!check_bytes(source, problems)) return std::nullopt;
  std::optional<Node> root = format == Format::toml   ? read_toml(source, problems)
                             : format == Format::yaml ? read_yaml(source, problems)
                                                      : read_json(source, problems);
  if (!root) return std::nullopt;
  return Document{std::move(source), std::move(directory), std::move(*root)};
}

std::optional<Document> read_document_file(const std::filesystem::path& path, const std::string& shown,
                                           Diagnostics& problems) {
  const std::optional<Format> format = format_of(path);
  if (!format) {
    problems.add(error("unknown-format", "`" + shown + "` is neither .toml nor .yaml")
                     .with_help("name the file NAME.toml or NAME.yaml, so that its format is known"));
    return std::nullopt;
  }
  FileResult<std::string> text = read_file(path, largest_document);
  if (!text && text.error().code == EFBIG) {
    problems.add(too_large(shown));
    return std::nullopt;
  }
  if (!text) {
    problems.add(
        error("unreadable-file", replace_all(text.error().message, path.string(), "`" + shown + "`"))
            .with_help(text.error().code == ENOENT
                           ? "check the path: it is relative to the file that says it, or to the current directory"
                           : "a profile is a regular file that you may read"));
    return std::nullopt;
  }
  auto source = std::make_shared<Source>(Source{shown, std::move(*text)});
  // A byte order mark says nothing that matters here.
  if (source->text.starts_with("\xEF\xBB\xBF")) source->text.erase(0, 3);
  return read_document(std::move(source), *format, resolved(path).parent_path(), problems);
}

}  // namespace sanduk
