// Short ways to read a text and to say what came of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/reader.h"

namespace sanduk::test {

struct Reading {
  std::optional<Document> document;
  Diagnostics problems;
  std::vector<std::string> codes;  // of the problems, in file order

  const Node& at(const std::string& key) const { return document->root.find(key)->value; }
  std::string message() const { return problems.empty() ? "" : problems.sorted()[0].message; }
  Span place() const { return problems.sorted()[0].labels.at(0).span; }
};

inline Reading read_text(const std::string& text, Format format) {
  Reading reading;
  const auto source = std::make_shared<Source>(Source{"profile", text});
  reading.document = read_document(source, format, "/work", reading.problems);
  for (const Diagnostic& problem : reading.problems.sorted()) reading.codes.push_back(problem.code);
  return reading;
}

inline Reading read_as_toml(const std::string& text) { return read_text(text, Format::toml); }
inline Reading read_as_yaml(const std::string& text) { return read_text(text, Format::yaml); }

// `text` repeated.
inline std::string times(const std::string& text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

using Codes = std::vector<std::string>;

}  // namespace sanduk::test
