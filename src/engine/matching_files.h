// The files of a workspace that a pattern of `workspace.collect` means: the tree is hostile, so that no link is
// followed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sanduk {

// Whether `text` means files by a pattern: `*`, `?` and `[…]` within a name, `**` for any directories.
bool is_pattern(const std::string& text);

// Regular files below `root`, relative and sorted; at most `most` of them. A plain path is itself, there or not.
// Names that begin with a dot are meant only by patterns that begin so.
std::vector<std::string> matching_files(const std::filesystem::path& root, const std::string& pattern,
                                        std::size_t most = 1000);

}  // namespace sanduk
