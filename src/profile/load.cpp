#include "profile/load.h"

#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/embedded.h"
#include "base/files.h"
#include "base/text.h"
#include "config/assign.h"
#include "config/reader.h"
#include "diagnostics/mask.h"
#include "profile/git_file.h"
#include "profile/interpolate.h"
#include "profile/locks.h"
#include "profile/profile_fields.h"

namespace sanduk {
namespace {

constexpr std::size_t deepest_extends = 16;

// The word as every format may write it.
bool says_true(const Entry* entry) {
  if (entry == nullptr) return false;
  const Node& value = entry->value;
  return value.kind == Node::Kind::boolean ? value.boolean
                                           : value.kind == Node::Kind::string && value.plain && value.text == "true";
}

class ProfileLoader {
 public:
  // `revision` non-empty: files are read as they were at that revision of their git repository.
  ProfileLoader(World& world, Diagnostics& problems, std::string revision = "")
      : world_(world), problems_(problems), revision_(std::move(revision)) {}

  // Reads one file, its bases first. `asked_at` is where its name stands.
  void load(const std::string& name, const std::filesystem::path& directory, const Span& asked_at,
            const std::string& stdin_format) {
    const bool built_in = name.starts_with("sanduk:");
    const std::filesystem::path path = built_in ? std::filesystem::path(name) : directory / expanded(name);
    const std::string identity = built_in ? name : resolved(path).string();
    if (std::find(chain_.begin(), chain_.end(), identity) != chain_.end()) {
      problems_.add(error("extends-cycle", "`" + name + "` extends itself")
                        .at(asked_at)
                        .note("the chain: " + join(chain_, " -> ") + " -> " + identity)
                        .with_help("take one `extends` out of the circle"));
      return;
    }
    if (chain_.size() >= deepest_extends) {
      problems_.add(
          error("extends-too-deep", "more than " + std::to_string(deepest_extends) + " profiles extend one another")
              .at(asked_at)
              .with_help("put the settings together in fewer files"));
      return;
    }
    // A base that two others share is merged once, where it comes first.
    if (!merged_.insert(identity).second) return;
    std::optional<Document> document =
        built_in ? read_built_in(name, asked_at) : read_own(name, path, asked_at, stdin_format);
    if (!document) return;
    interpolate(*document, world_, problems_);
    merge(*document, identity, built_in);
    if (keeps_locks_ && says_true(document->root.find("locked"))) keep_lock(*document, name, identity, built_in);
    if (!built_in && name != "-") profile_.files.push_back(resolved(path));
  }

  Profile take() { return std::move(profile_); }
  Profile& profile() { return profile_; }
  const std::vector<ProfileLock>& locks() const { return locks_; }

 private:
  // The bases of `document`, then itself.
  void merge(const Document& document, const std::string& identity, bool built_in) {
    chain_.push_back(identity);
    load_bases(document);
    chain_.pop_back();
    assign_document(profile_fields(), document, built_in ? Layer::built_in : Layer::file, profile_, problems_);
    profile_.directory = built_in ? world_.current_directory() : document.directory;
    profile_.where = {document.source, 1, 1};
  }

  // What a locked profile allows is what it says with its bases and the defaults, whatever stands beside it.
  void keep_lock(const Document& document, const std::string& name, const std::string& identity, bool built_in) {
    Diagnostics said_already;
    ProfileLoader alone(world_, said_already, revision_);
    alone.keeps_locks_ = false;
    alone.profile_.directory = world_.current_directory();
    alone.merge(document, identity, built_in);
    locks_.push_back({name, document.root.find("locked")->key_span, alone.take()});
  }

  std::filesystem::path expanded(const std::string& name) const {
    if (name.starts_with("~/")) return world_.home_directory() / name.substr(2);
    return name;
  }

  std::optional<Document> read_built_in(const std::string& name, const Span& asked_at) {
    const std::string word = name.substr(7);
    const std::vector<std::string> known = built_in_profiles();
    const std::optional<std::string_view> text = std::find(known.begin(), known.end(), word) != known.end()
                                                     ? embedded_file("profiles/" + word + ".toml")
                                                     : std::nullopt;
    if (!text) {
      const std::optional<std::string> near = closest(word, known);
      problems_.add(error("unknown-profile", "there is no shipped profile `" + masked(name) + "`")
                        .at(asked_at)
                        .with_help((near ? "did you mean `sanduk:" + *near + "`? " : "") +
                                   "shipped: sanduk:" + join(known, ", sanduk:")));
      return std::nullopt;
    }
    // A shipped profile has no directory of its own: its paths, if any, start where the command was given.
    return read_document(std::make_shared<Source>(Source{name, std::string(*text)}), Format::toml,
                         world_.current_directory(), problems_);
  }

  std::optional<Document> read_own(const std::string& name, const std::filesystem::path& path, const Span& asked_at,
                                   const std::string& stdin_format) {
    if (name == "-" && chain_.empty()) return read_standard_input(stdin_format);
    Diagnostics faults;
    std::optional<Document> document =
        revision_.empty() ? read_document_file(path, chain_.empty() ? name : shown(path), faults)
                          : read_document_at(revision_, path, revision_ + ":" + shown(path), world_, faults);
    for (Diagnostic fault : faults.sorted()) {
      if (fault.labels.empty() && asked_at.known() && !chain_.empty()) fault.at(asked_at);
      problems_.add(std::move(fault));
    }
    return document;
  }

  std::optional<Document> read_standard_input(const std::string& stdin_format) {
    std::string text;
    std::string buffer(65536, '\0');
    for (ssize_t got = 0;
         text.size() <= largest_document && (got = read(STDIN_FILENO, buffer.data(), buffer.size())) > 0;) {
      text.append(buffer, 0, static_cast<std::size_t>(got));
    }
    const Format format = stdin_format == "yaml" ? Format::yaml : stdin_format == "json" ? Format::json : Format::toml;
    return read_document(std::make_shared<Source>(Source{"-", std::move(text)}), format, world_.current_directory(),
                         problems_);
  }

  // As short as it can be said from here.
  std::string shown(const std::filesystem::path& path) const {
    const std::filesystem::path relative = path.lexically_normal().lexically_relative(world_.current_directory());
    return relative.empty() || relative.string().starts_with("..") ? path.lexically_normal().string()
                                                                   : relative.string();
  }

  void load_bases(const Document& document) {
    const Entry* extends = document.root.find("extends");
    if (extends == nullptr) return;
    std::vector<const Node*> names;
    if (extends->value.kind == Node::Kind::string) names.push_back(&extends->value);
    for (const Node& item : extends->value.items) {
      if (item.kind == Node::Kind::string) names.push_back(&item);  // others are refused when the key is assigned
    }
    for (const Node* base : names) load(base->text, document.directory, base->span, "");
  }

  World& world_;
  Diagnostics& problems_;
  std::string revision_;
  Profile profile_;
  std::vector<ProfileLock> locks_;
  bool keeps_locks_ = true;
  std::vector<std::string> chain_;
  std::set<std::string> merged_;
};

// A flag of an adding field puts its entries behind the profile's.
void join_added(const Profile& before, Profile& after) {
  for (const Field<Profile>& row : profile_fields()) {
    if (row.flag_adds && row.prepend && row.origin(after).layer == Layer::flag) row.prepend(before, after);
  }
}

}  // namespace

Profile load_profile(const std::vector<std::string>& files, const Document& flags, World& world, Diagnostics& problems,
                     const std::string& stdin_format) {
  ProfileLoader loader(world, problems);
  loader.profile().directory = world.current_directory();
  for (const std::string& file : files) loader.load(file, world.current_directory(), {}, stdin_format);
  Profile profile = loader.take();
  if (!files.empty() && files.back() != "-" && !files.back().starts_with("sanduk:") && !profile.files.empty())
    profile.named = profile.files.back();
  const Profile before = profile;
  assign_document(profile_fields(), flags, Layer::flag, profile, problems);
  join_added(before, profile);
  if (const Entry* locked = flags.root.find("locked")) {
    problems.add(error("no-effect", "`locked` has no effect on the command line")
                     .at(locked->key_span)
                     .with_help("write locked = true into the profile that others build on"));
  }
  check_locks(loader.locks(), profile, problems);
  if (profile.version.value != 1) {
    problems.add(error("bad-value", "this sanduk reads version 1 of the profile language, not " +
                                        std::to_string(profile.version.value))
                     .at(profile.version.origin.span)
                     .with_help("write version = 1"));
  }
  return profile;
}

Profile load_profile_at(const std::string& revision, const std::string& file, World& world, Diagnostics& problems) {
  ProfileLoader loader(world, problems, revision);
  loader.profile().directory = world.current_directory();
  loader.load(file, world.current_directory(), {}, "");
  Profile profile = loader.take();
  check_locks(loader.locks(), profile, problems);
  return profile;
}

std::vector<std::string> built_in_profiles() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path.starts_with("profiles/") && file.path.ends_with(".toml"))
      names.push_back(std::filesystem::path(file.path).stem().string());
  }
  return names;
}

}  // namespace sanduk
