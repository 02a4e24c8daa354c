#include "engine/workspace_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/files.h"
#include "base/json.h"
#include "base/portable.h"
#include "base/text.h"
#include "engine/codes.h"
#include "engine/engine_client.h"
#include "engine/host_files.h"

namespace sanduk {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_taken = std::size_t{1} << 30;
constexpr std::chrono::minutes copy_within(30);

fs::path marks_file(const fs::path& record_directory) { return record_directory / "copy-of.json"; }

struct Entry {
  mode_t mode = 0;
  std::string mark;  // changes when the file does
  std::string link;  // target of a symbolic link
  std::uint64_t size = 0;
};

RunError cannot_copy(const std::string& why) {
  Diagnostic diagnostic = error(std::string(codes::workspace_copy), "the workspace cannot be copied");
  diagnostic.note(why).with_help("make room in the state directory, or use workspace.mode = \"rw\"");
  return {Failure::host, diagnostic};
}

// What was not seen would look as if it had been removed.
RunError cannot_list(const fs::path& path, const std::error_code& code) {
  Diagnostic diagnostic = error(std::string(codes::workspace_copy), "cannot look at " + path.string());
  diagnostic.note(code.message()).with_help("nothing was changed; mend what keeps it from being read");
  return {Failure::host, diagnostic};
}

// Every file and link below `root`; directories, pipes and devices are nothing to take.
std::map<std::string, Entry> list_tree(const fs::path& root) {
  std::map<std::string, Entry> entries;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(root, options, error), end; !error && at != end; at.increment(error)) {
    struct stat status {};
    if (lstat(at->path().c_str(), &status) != 0) {
      if (errno == ENOENT) continue;
      throw cannot_list(at->path(), {errno, std::generic_category()});
    }
    if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)) continue;
    Entry entry;
    entry.mode = status.st_mode;
    entry.size = static_cast<std::uint64_t>(status.st_size);
    entry.mark = std::to_string(status.st_ino) + " " + std::to_string(status.st_size) + " " +
                 std::to_string(changed_time(status).tv_sec) + "." + std::to_string(changed_time(status).tv_nsec);
    if (S_ISLNK(status.st_mode)) entry.link = fs::read_symlink(at->path(), error).string();
    entries[at->path().lexically_relative(root).string()] = entry;
  }
  if (error) throw cannot_list(root, error);
  return entries;
}

bool same_content(const fs::path& left, const Entry& a, const fs::path& right, const Entry& b) {
  if (S_ISLNK(a.mode) || S_ISLNK(b.mode)) return S_ISLNK(a.mode) && S_ISLNK(b.mode) && a.link == b.link;
  if (a.size != b.size || ((a.mode ^ b.mode) & 0111) != 0) return false;
  const FileDescriptor one(open(left.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  const FileDescriptor two(open(right.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!one || !two) return false;
  std::string first(65536, '\0');
  std::string second(65536, '\0');
  for (;;) {
    const ssize_t got = read(one.get(), first.data(), first.size());
    if (got < 0) return false;
    if (got == 0) return true;
    for (ssize_t have = 0; have < got;) {
      const ssize_t more = read(two.get(), second.data() + have, static_cast<std::size_t>(got - have));
      if (more <= 0) return false;
      have += more;
    }
    if (first.compare(0, static_cast<std::size_t>(got), second, 0, static_cast<std::size_t>(got)) != 0) return false;
  }
}

// The directory that holds `relative` below `root`, following no link; made where `make` says so.
FileDescriptor open_parent(const fs::path& root, const fs::path& relative, bool make) {
  FileDescriptor at(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const fs::path& part : relative.parent_path()) {
    if (!at) break;
    if (make && mkdirat(at.get(), part.c_str(), 0777) == 0 && geteuid() == 0) {
      struct stat parent {};
      if (fstat(at.get(), &parent) == 0 &&
          fchownat(at.get(), part.c_str(), parent.st_uid, parent.st_gid, AT_SYMLINK_NOFOLLOW) != 0) {
        return {};
      }
    }
    at = FileDescriptor(openat(at.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return at;
}

std::string because() { return ": " + std::generic_category().message(errno); }

// Writes beside its place and renames, so that a file is the old one or the new one. Empty when it worked.
std::string put(const fs::path& workspace, const fs::path& copy, const std::string& path) {
  const FileDescriptor parent = open_parent(workspace, path, true);
  if (!parent) return "cannot reach the directory of " + path + because();
  const std::string name = fs::path(path).filename().string();
  const std::string next = "." + name.substr(0, 100) + ".sanduk-take";
  struct stat status {};
  if (lstat((copy / path).c_str(), &status) != 0) return "cannot read " + path + because();
  unlinkat(parent.get(), next.c_str(), 0);
  if (S_ISLNK(status.st_mode)) {
    std::error_code error;
    const std::string target = fs::read_symlink(copy / path, error).string();
    if (error || symlinkat(target.c_str(), parent.get(), next.c_str()) != 0)
      return "cannot make the link " + path + because();
  } else {
    const FileResult<std::string> bytes = read_file_beneath(copy, path, largest_taken);
    if (!bytes) return bytes.error().message;
    const FileDescriptor file(
        openat(parent.get(), next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    // No bit beyond the plain ones: a program with another user's rights is nothing that an agent hands out.
    if (!file || !write_all(file.get(), *bytes) || fchmod(file.get(), status.st_mode & 0777) != 0)
      return "cannot write " + path + because();
  }
  if (struct stat owner{}; geteuid() == 0 && fstat(parent.get(), &owner) == 0) {
    if (fchownat(parent.get(), next.c_str(), owner.st_uid, owner.st_gid, AT_SYMLINK_NOFOLLOW) != 0)
      return "cannot give " + path + " to its owner" + because();
  }
  if (renameat(parent.get(), next.c_str(), parent.get(), name.c_str()) != 0)
    return "cannot replace " + path + because();
  return "";
}

std::string remove(const fs::path& workspace, const std::string& path) {
  const FileDescriptor parent = open_parent(workspace, path, false);
  if (parent && unlinkat(parent.get(), fs::path(path).filename().c_str(), 0) == 0) return "";
  return errno == ENOENT ? "" : "cannot remove " + path + because();
}

using Marks = std::map<std::string, std::string>;

// What both sides were like when the copy had just been made.
struct Beginning {
  Marks workspace;
  Marks copy;
};

void write_marks(JsonWriter& json, const char* side, const fs::path& root) {
  json.key(side).begin_object();
  for (const auto& [path, entry] : list_tree(root)) json.field(path, entry.mark);
  json.end_object();
}

Beginning read_beginning(const fs::path& record_directory) {
  FileResult<std::string> text = read_file(marks_file(record_directory), std::size_t{256} << 20);
  const Poco::JSON::Object::Ptr object = text ? parse_json_object(*text) : nullptr;
  Beginning beginning;
  if (object.isNull()) return beginning;
  for (const auto& [side, marks] : {std::pair{"workspace", &beginning.workspace}, {"copy", &beginning.copy}}) {
    const Poco::JSON::Object::Ptr listed = json_object(object, side);
    if (listed.isNull()) continue;
    for (const std::string& name : listed->getNames()) (*marks)[name] = json_text(listed, name).value_or("");
  }
  return beginning;
}

// Whether `path` is another than it was, or is there and was not, or the other way round.
bool differs(const std::string& path, const Marks& then, const std::map<std::string, Entry>& now) {
  const auto before = then.find(path);
  const auto after = now.find(path);
  if (before == then.end() || after == now.end()) return (before == then.end()) != (after == now.end());
  return before->second != after->second.mark;
}

}  // namespace

fs::path copy_directory(const fs::path& record_directory) { return record_directory / "copy"; }

void make_workspace_copy(World& world, const fs::path& workspace, const fs::path& record_directory) {
  const fs::path copy = copy_directory(record_directory);
  // The engine's user passes through the record's folder to the copy; nobody else gets that far.
  std::vector<std::string> argv = {"cp", "-a"};
#ifdef __linux__
  argv.emplace_back("--reflink=auto");
#endif
  argv.insert(argv.end(), {"--", workspace.string(), copy.string()});
  const ProcessResult copied = world.run({.argv = argv, .variables = {}, .input = {}}, copy_within);
  if (!copied.ok()) throw cannot_copy(last_words(copied));
  JsonWriter marks;
  marks.begin_object();
  write_marks(marks, "workspace", workspace);
  write_marks(marks, "copy", copy);
  marks.end_object();
  if (const auto failed = write_file_atomically(marks_file(record_directory), marks.text()))
    throw cannot_copy(failed->message);
}

std::vector<ChangedPath> changed_paths(const fs::path& workspace, const fs::path& record_directory) {
  const fs::path copy = copy_directory(record_directory);
  const Beginning beginning = read_beginning(record_directory);
  const std::map<std::string, Entry> mine = list_tree(workspace);
  const std::map<std::string, Entry> theirs = list_tree(copy);
  std::vector<ChangedPath> changes;
  // Only what the run has touched: where the user alone went on working, the copy is merely old.
  for (const auto& [path, entry] : theirs) {
    if (!differs(path, beginning.copy, theirs)) continue;
    const auto own = mine.find(path);
    if (own != mine.end() && same_content(workspace / path, own->second, copy / path, entry)) continue;
    const CopyChange change = own == mine.end() ? CopyChange::added : CopyChange::changed;
    changes.push_back({path, change, differs(path, beginning.workspace, mine), host_use(path)});
  }
  for (const auto& [path, mark] : beginning.copy) {
    if (theirs.contains(path) || !mine.contains(path)) continue;
    changes.push_back({path, CopyChange::removed, differs(path, beginning.workspace, mine), host_use(path)});
  }
  std::sort(changes.begin(), changes.end(), [](const ChangedPath& a, const ChangedPath& b) { return a.path < b.path; });
  return changes;
}

std::vector<std::string> take_changes(const fs::path& workspace, const fs::path& record_directory,
                                      const std::vector<ChangedPath>& changes) {
  const fs::path copy = copy_directory(record_directory);
  std::vector<std::string> faults;
  // What goes makes room for what comes: a file where a directory was, and the other way round.
  for (const ChangedPath& change : changes) {
    if (change.change != CopyChange::removed) continue;
    if (std::string fault = remove(workspace, change.path); !fault.empty()) faults.push_back(std::move(fault));
  }
  for (const ChangedPath& change : changes) {
    if (change.change == CopyChange::removed) continue;
    if (std::string fault = put(workspace, copy, change.path); !fault.empty()) faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace sanduk
