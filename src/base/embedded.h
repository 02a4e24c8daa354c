// Files that the build put into the program: catalogues, shipped profiles, schemas, Containerfiles, the box helper.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sanduk {

struct EmbeddedFile {
  std::string path;  // as in the source tree, e.g. "resources/agents/claude.toml"
  std::string_view bytes;
};

// Every embedded file, sorted by path (the box helper last).
std::vector<EmbeddedFile> embedded_files();

std::optional<std::string_view> embedded_file(std::string_view path);

}  // namespace sanduk
