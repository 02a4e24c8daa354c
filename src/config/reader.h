// Text in TOML, YAML or JSON -> a positioned tree, or diagnostics.
#pragma once

#include <optional>
#include <string>

#include "config/node.h"
#include "diagnostics/diagnostic.h"

namespace sanduk {

enum class Format { toml, yaml, json };

// Bounds of every configuration file; beyond them a diagnostic, never a crash.
inline constexpr std::size_t largest_document = std::size_t{1} << 20;  // bytes
inline constexpr std::size_t deepest_document = 64;                    // nested tables, arrays and dotted keys

// By the file's extension; nothing for one that is neither .toml, .yaml/.yml nor .json.
std::optional<Format> format_of(const std::filesystem::path& path);

// Reads `source`. On faults adds to `problems` and gives nothing.
std::optional<Document> read_document(std::shared_ptr<const Source> source, Format format,
                                      std::filesystem::path directory, Diagnostics& problems);

// Reads the file. `shown` is the name that messages use.
std::optional<Document> read_document_file(const std::filesystem::path& path, const std::string& shown,
                                           Diagnostics& problems);

// The readers; use read_document, which checks what both need (size, UTF-8, control characters).
std::optional<Node> read_toml(const std::shared_ptr<const Source>& source, Diagnostics& problems);
std::optional<Node> read_yaml(const std::shared_ptr<const Source>& source, Diagnostics& problems);
std::optional<Node> read_json(const std::shared_ptr<const Source>& source, Diagnostics& problems);

}  // namespace sanduk
