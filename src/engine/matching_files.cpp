#include "engine/matching_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/files.h"
#include "base/text.h"

namespace sanduk {
namespace {

constexpr std::size_t most_entries = 200'000;  // that are looked at: the agent may have made any number
constexpr int most_depth = 64;

class Matcher {
 public:
  Matcher(const std::string& pattern, std::size_t most) : parts_(split(pattern, '/')), most_(most) {}

  std::vector<std::string> take(const std::filesystem::path& root) {
    walk(FileDescriptor(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), "", 0, 0);
    return {found_.begin(), found_.end()};
  }

 private:
  bool full() const { return found_.size() >= most_ || seen_ >= most_entries; }

  // What is in `directory`, whose path ends with a slash, for the parts from `at` on.
  void walk(FileDescriptor directory, const std::string& path, std::size_t at, int depth) {
    if (!directory || at >= parts_.size() || depth > most_depth || full()) return;
    const bool any_depth = parts_[at] == "**";
    // As many directories as there are, and none.
    if (any_depth && at + 1 < parts_.size()) walk(duplicate(directory), path, at + 1, depth);
    for (const std::string& name : names_in(duplicate(directory))) {
      if (full()) return;
      ++seen_;
      if (!means(any_depth ? "*" : parts_[at], name)) continue;
      struct stat status {};
      if (fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      const bool last = at + 1 == parts_.size();
      if (S_ISREG(status.st_mode) && last) found_.insert(path + name);
      if (S_ISDIR(status.st_mode) && (any_depth || !last)) {
        walk(FileDescriptor(openat(directory.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
             path + name + "/", any_depth ? at : at + 1, depth + 1);
      }
    }
  }

  static FileDescriptor duplicate(const FileDescriptor& directory) {
    return FileDescriptor(openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  std::vector<std::string> names_in(FileDescriptor directory) const {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(directory ? fdopendir(directory.get()) : nullptr, closedir);
    if (!stream) return names;
    directory.release();  // the stream's now
    while (const dirent* entry = readdir(stream.get())) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
      if (names.size() + seen_ >= most_entries) break;
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  static bool means(const std::string& part, const std::string& name) {
    return fnmatch(part.c_str(), name.c_str(), FNM_PERIOD | FNM_NOESCAPE) == 0;
  }

  std::vector<std::string> parts_;
  std::size_t most_;
  std::set<std::string> found_;
  std::size_t seen_ = 0;
};

}  // namespace

bool is_pattern(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

std::vector<std::string> matching_files(const std::filesystem::path& root, const std::string& pattern,
                                        std::size_t most) {
  if (!is_pattern(pattern)) return {pattern};
  return Matcher(pattern, most).take(root);
}

}  // namespace sanduk
