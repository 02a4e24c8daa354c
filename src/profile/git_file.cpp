#include "profile/git_file.h"

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "config/reader.h"
#include "diagnostics/mask.h"

namespace sanduk {
namespace {

// No flag, no range, no path: what a branch, a tag, a commit or `HEAD~2` is made of.
bool is_revision(const std::string& text) {
  return !text.empty() && !text.starts_with('-') && text.find("..") == std::string::npos &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string_view("._/@{}~^+-").find(c) != std::string_view::npos;
         });
}

// `cat-file` runs no filter, no pager and no text conversion; nothing is fetched, nothing is asked.
ProcessResult run_git(const std::filesystem::path& directory, std::vector<std::string> words, World& world) {
  Command command;
  command.argv = {"git", "-C", directory.string(), "--no-pager", "-c", "core.fsmonitor=false"};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  command.variables = {{"GIT_ALLOW_PROTOCOL", "none"},
                       {"GIT_NO_LAZY_FETCH", "1"},
                       {"GIT_OPTIONAL_LOCKS", "0"},
                       {"GIT_TERMINAL_PROMPT", "0"},
                       {"LC_ALL", "C"}};
  return world.run(command, std::chrono::seconds(20));
}

// The nearest directory that is there now: the file itself may be gone.
std::filesystem::path existing_parent(std::filesystem::path path) {
  std::error_code failed;
  do {
    path = path.parent_path();
  } while (!std::filesystem::is_directory(path, failed) && path.has_relative_path());
  return path;
}

}  // namespace

std::optional<RevisionFile> revision_file(const std::string& text, const std::filesystem::path& directory) {
  const std::size_t colon = text.find(':');
  std::error_code failed;
  if (colon == std::string::npos || text.starts_with("sanduk:") || std::filesystem::exists(directory / text, failed)) {
    return std::nullopt;
  }
  return RevisionFile{text.substr(0, colon), text.substr(colon + 1)};
}

std::optional<Document> read_document_at(const std::string& revision, const std::filesystem::path& path,
                                         const std::string& shown, World& world, Diagnostics& problems) {
  const auto refuse = [&](const std::string& why, const std::string& help) {
    problems.add(error("unreadable-file", "cannot read `" + masked(shown) + "`: " + why).with_help(help));
    return std::nullopt;
  };
  if (!is_revision(revision))
    return refuse("this is not a revision", "name a branch, a tag or a commit: main:profile.toml");
  const std::optional<Format> format = format_of(path);
  if (!format) return refuse("it is neither .toml, .yaml nor .json", "name a profile behind the colon");
  const std::filesystem::path directory = existing_parent(path);
  const ProcessResult top = run_git(directory, {"rev-parse", "--show-toplevel"}, world);
  if (!top.started) return refuse(top.error, "install git");
  if (!top.ok()) return refuse(std::string(trim(top.errors)), "the file must lie in a git repository");
  const std::filesystem::path relative =
      (resolved(directory) / path.lexically_relative(directory)).lexically_relative(resolved(trim(top.output)));
  const ProcessResult blob = run_git(directory, {"cat-file", "blob", revision + ":" + relative.string()}, world);
  if (!blob.ok())
    return refuse(std::string(trim(blob.errors)), "`git log -- " + relative.string() + "` shows where it is");
  auto source = std::make_shared<Source>(Source{shown, blob.output});
  if (source->text.starts_with("\xEF\xBB\xBF")) source->text.erase(0, 3);
  return read_document(std::move(source), *format, resolved(path).parent_path(), problems);
}

}  // namespace sanduk
