#include "resolve/probe.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <thread>

#include "base/files.h"
#include "catalog/catalog.h"
#include "plan/file_digest.h"
#include "plan/plan_json.h"
#include "profile/image_lock.h"
#include "resolve/paths.h"

namespace sanduk {
namespace {

constexpr std::size_t largest_task = std::size_t{1} << 20;
constexpr std::size_t largest_containerfile = std::size_t{1} << 20;

PathFact probe_path(const std::filesystem::path& path) {
  PathFact fact;
  fact.resolved = resolved(path).string();
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return fact;
  fact.kind = S_ISDIR(status.st_mode)   ? PathFact::Kind::directory
              : S_ISREG(status.st_mode) ? PathFact::Kind::file
                                        : PathFact::Kind::other;
  fact.readable = access(path.c_str(), R_OK) == 0;
  fact.owner_uid = status.st_uid;
  fact.owner_gid = status.st_gid;
  return fact;
}

bool passes_link(const std::filesystem::path& root, const std::filesystem::path& relative) {
  std::filesystem::path at = root;
  std::error_code failed;
  for (const std::filesystem::path& part : relative) {
    at /= part;
    if (std::filesystem::is_symlink(at, failed)) return true;
  }
  return false;
}

class Probe {
 public:
  Probe(const Profile& profile, World& world) : profile_(profile), world_(world) {}

  Facts take() {
    facts_.uid = getuid();
    facts_.gid = getgid();
    facts_.cpus = std::max(1U, std::thread::hardware_concurrency());
#ifdef __APPLE__
    facts_.platform = "macos";
#else
    facts_.platform = "linux";
#endif
    facts_.home = resolved(world_.home_directory()).string();
    facts_.state_directory = resolved(world_.state_directory("sanduk")).string();
    facts_.config_directory = world_.config_directory("sanduk").string();
    probe_settings();
    probe_protected();
    probe_profile_files();
    return std::move(facts_);
  }

 private:
  std::filesystem::path at(const std::string& text, const Origin& origin) const {
    return absolute_path(text, origin, profile_, facts_.home);
  }

  PathFact& add(const std::string& text, const Origin& origin) {
    const std::filesystem::path path = at(text, origin);
    return facts_.paths[path.string()] = probe_path(path);
  }

  void add_with_text(const Setting<FilePath>& setting, std::size_t most) {
    PathFact& fact = add(setting->text, setting.origin);
    FileResult<std::string> text = read_file(fact.resolved, most);
    if (text) {
      fact.text = std::move(*text);
      fact.sha256 = sha256_hex(fact.text);
    } else {
      fact.problem = text.error().message;
    }
  }

  void probe_settings() {
    if (profile_.task_file.is_set()) add_with_text(profile_.task_file, largest_task);
    if (profile_.image.containerfile.is_set()) add_with_text(profile_.image.containerfile, largest_containerfile);
    for (const Setting<FilePath>* setting : {&profile_.log.dir, &profile_.log.record, &profile_.agent.instructions,
                                             &profile_.agent.skills, &profile_.workspace.report_copy}) {
      if (setting->is_set()) add((*setting)->text, setting->origin);
    }
    if (profile_.provider.cassette.is_set()) {
      PathFact& cassette = add(profile_.provider.cassette->text, profile_.provider.cassette.origin);
      if (cassette.kind == PathFact::Kind::file) cassette.sha256 = file_sha256(cassette.resolved);
    }
    if (profile_.provider.key->starts_with("file:"))
      add(profile_.provider.key->substr(5), profile_.provider.key.origin);
    add(profile_.workspace.path->text, profile_.workspace.path.origin);
    for (const MountRequest& mount : *profile_.workspace.mounts)
      add(mount.host, {Layer::file, mount.span, mount.directory});
  }

  void probe_protected() {
    const std::filesystem::path workspace = at(profile_.workspace.path->text, profile_.workspace.path.origin);
    const std::filesystem::path root = resolved(workspace);
    for (const ListItem& item : *profile_.workspace.protect) {
      const std::filesystem::path path = root / std::filesystem::path(item.text).lexically_normal();
      PathFact fact = probe_path(path);
      fact.through_link = passes_link(root, std::filesystem::path(item.text).lexically_normal());
      facts_.paths[path.string()] = std::move(fact);
    }
  }

  // A profile's twin in the other format would be read by the next run: it is as much a profile as this one.
  void probe_profile_files() {
    std::set<std::string> files;
    for (const std::filesystem::path& file : profile_.files) {
      files.insert(file.string());
      for (const char* extension : {".toml", ".yaml", ".yml", ".json"}) {
        std::error_code failed;
        const std::filesystem::path twin = std::filesystem::path(file).replace_extension(extension);
        if (std::filesystem::exists(twin, failed)) files.insert(resolved(twin).string());
      }
    }
    // What holds it to its images is a part of it.
    const std::optional<std::filesystem::path> lock = image_lock_file(profile_);
    if (std::error_code failed; lock && std::filesystem::exists(*lock, failed)) files.insert(resolved(*lock).string());
    // Records of the user's own say what runs: they are as much a part of the profile.
    for (const Setting<std::string>* name : {&profile_.agent.name, &profile_.provider.name, &profile_.engine.name}) {
      if (!names_a_file(**name)) continue;
      const std::filesystem::path file = name->origin.directory / **name;
      if (std::error_code failed; std::filesystem::exists(file, failed)) files.insert(resolved(file).string());
    }
    facts_.profile_files.assign(files.begin(), files.end());
    for (const std::string& file : files) {
      facts_.paths.try_emplace(file, probe_path(file)).first->second.sha256 = file_sha256(file);
    }
  }

  const Profile& profile_;
  World& world_;
  Facts facts_;
};

}  // namespace

Facts probe(const Profile& profile, World& world) { return Probe(profile, world).take(); }

}  // namespace sanduk
