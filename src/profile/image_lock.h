// The lock file of a profile, NAME.lock.toml beside NAME.toml: which images its runs are held to. `sanduk build --lock`
// writes it.
//
//   version = 1
//   [images.docker]
//   "sanduk-claude:2.1.332-u1000-0a1b2c3d" = "sha256:…"
//
// An engine's own id of an image is its digest. Engines number what they build in their own ways, so that each has a
// table of its own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "diagnostics/diagnostic.h"
#include "profile/profile.h"

namespace sanduk {

struct LockedImage {
  std::string engine;
  std::string ref;
  std::string digest;
  Span span{};  // of the ref
};

struct ImageLock {
  std::filesystem::path file;
  std::vector<LockedImage> images;
  Span where{};
};

// Where the lock of a profile is: beside the last file that was named. Nothing for a shipped profile and for one from
// standard input.
std::optional<std::filesystem::path> image_lock_file(const Profile& profile);

// Nothing where there is none. One that is there and cannot be read is a fault: a lock never falls away in silence.
std::optional<ImageLock> load_image_lock(const Profile& profile, Diagnostics& problems);

// "sha256:" and 64 hexadecimal digits.
bool is_image_digest(const std::string& text);

// Puts `image` into the lock file, in the place of what that engine had under that name; all else in it stays.
std::optional<FileError> write_image_lock(ImageLock lock, const LockedImage& image);

}  // namespace sanduk
