#include "profile/image_lock.h"

#include <algorithm>
#include <map>
#include <system_error>

#include "config/convert.h"
#include "config/reader.h"
#include "diagnostics/mask.h"

namespace sanduk {
namespace {

constexpr std::string_view head =
    "# Written by `sanduk build --lock`. A run of the profile beside this file takes no other image.\nversion = 1\n";

class LockReader {
 public:
  LockReader(ImageLock& lock, Diagnostics& problems) : lock_(lock), problems_(problems) {}

  void read(const Node& root) {
    const Entry* version = root.find("version");
    if (version == nullptr || version->value.kind != Node::Kind::integer || version->value.integer != 1) {
      problems_.add(error("bad-value", "this sanduk reads version 1 of lock files")
                        .at(version == nullptr ? lock_.where : version->value.span)
                        .with_help("remove the file, look at what is run, then lock it: sanduk build --lock PROFILE"));
    }
    for (const Entry& entry : root.entries) {
      if (entry.key == "version") continue;
      if (entry.key != "images") {
        problems_.add(error("unknown-key", "unknown key `" + masked(entry.key) + "` in a lock file")
                          .at(entry.key_span)
                          .with_help("a lock file holds `version` and tables [images.ENGINE]"));
      } else if (check_table(entry, "images")) {
        for (const Entry& engine : entry.value.entries) read_engine(engine);
      }
    }
  }

 private:
  bool check_table(const Entry& entry, const std::string& path) {
    if (entry.value.kind == Node::Kind::table) return true;
    problems_.add(error("wrong-type", "`" + path + "` is a table, not " + kind_name(entry.value))
                      .at(entry.value.span)
                      .with_help("write its images below an [images.ENGINE] line"));
    return false;
  }

  void read_engine(const Entry& engine) {
    if (!check_table(engine, "images." + masked(engine.key))) return;
    for (const Entry& image : engine.value.entries) {
      if (image.value.kind == Node::Kind::string && is_image_digest(image.value.text)) {
        lock_.images.push_back({engine.key, image.key, image.value.text, image.key_span});
        continue;
      }
      problems_.add(error("bad-value", "the digest of `" + masked(image.key) + "` is not one")
                        .at(image.value.span)
                        .with_help("remove the file, look at what is run, then lock it: sanduk build --lock PROFILE"));
    }
  }

  ImageLock& lock_;
  Diagnostics& problems_;
};

}  // namespace

bool is_image_digest(const std::string& text) {
  return text.size() == 71 && text.starts_with("sha256:") &&
         text.find_first_not_of("0123456789abcdef", 7) == std::string::npos;
}

std::optional<std::filesystem::path> image_lock_file(const Profile& profile) {
  if (profile.named.empty()) return std::nullopt;
  return std::filesystem::path(profile.named).replace_extension(".lock.toml");
}

std::optional<ImageLock> load_image_lock(const Profile& profile, Diagnostics& problems) {
  const std::optional<std::filesystem::path> file = image_lock_file(profile);
  std::error_code failed;
  if (!file || std::filesystem::symlink_status(*file, failed).type() == std::filesystem::file_type::not_found)
    return std::nullopt;
  if (std::filesystem::is_symlink(*file, failed)) {
    problems.add(error("protected-link", "the lock file `" + file->string() + "` is a symbolic link")
                     .with_help("put the file itself there: a link in the workspace could be replaced by the agent"));
    return std::nullopt;
  }
  const std::optional<Document> document = read_document_file(*file, file->filename().string(), problems);
  if (!document) return std::nullopt;
  ImageLock lock{*file, {}, {document->source, 1, 1}};
  LockReader(lock, problems).read(document->root);
  return lock;
}

std::optional<FileError> write_image_lock(ImageLock lock, const LockedImage& image) {
  std::map<std::string, std::map<std::string, std::string>> tables;
  for (const LockedImage& known : lock.images) tables[known.engine][known.ref] = known.digest;
  tables[image.engine][image.ref] = image.digest;
  std::string text(head);
  for (const auto& [engine, images] : tables) {
    text += "\n[images." + render_value(engine) + "]\n";
    for (const auto& [ref, digest] : images) text += render_value(ref) + " = " + render_value(digest) + "\n";
  }
  return write_file_atomically(lock.file, text, 0644);
}

}  // namespace sanduk
