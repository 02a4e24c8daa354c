// A profile as it was at a revision of its git repository, read without running anything that the repository
// configures.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/world.h"
#include "config/node.h"

namespace sanduk {

// The parts of "REV:FILE"; nothing when `text` is not that, or when there is a file of this name.
struct RevisionFile {
  std::string revision;
  std::string file;
};
std::optional<RevisionFile> revision_file(const std::string& text, const std::filesystem::path& directory);

// Reads `path` (absolute) at `revision`. `shown` is the name that messages use.
std::optional<Document> read_document_at(const std::string& revision, const std::filesystem::path& path,
                                         const std::string& shown, World& world, Diagnostics& problems);

}  // namespace sanduk
