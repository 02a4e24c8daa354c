// The run's directory outside its record: the relay's socket, the box's helper, a build's context. Gone with the run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/world.h"

namespace sanduk {

// Where it will be, so that the record can name it before it is made: below $XDG_RUNTIME_DIR, or /tmp where that is
// missing or so long that a socket's path would not fit.
std::filesystem::path choose_run_directory(const World& world, const std::string& container);

// Makes it, 0700: what lies below may have open modes, for the box's user, and is still out of reach for others here.
// Must not exist yet. These throw RunError (Failure::host).
void make_run_directory(const std::filesystem::path& directory);
std::filesystem::path make_below(const std::filesystem::path& directory, std::string_view name, unsigned mode);
void write_below(const std::filesystem::path& directory, std::string_view name, std::string_view bytes, unsigned mode);

// Removes it with all that is in it; true when it is gone. Touches nothing that is not a directory of ours by its name.
bool remove_run_directory(const std::filesystem::path& directory);

// What a path of a socket may measure, its final NUL not counted.
constexpr std::size_t most_socket_path = 103;  // macOS; Linux takes 107

}  // namespace sanduk
