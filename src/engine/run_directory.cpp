#include "engine/run_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "diagnostics/diagnostic.h"
#include "engine/codes.h"

namespace sanduk {
namespace {

constexpr std::string_view prefix = "sanduk-";
constexpr std::string_view longest_socket = "/relay/relay.sock";

RunError unusable(const std::string& what) {
  Diagnostic diagnostic = error(std::string(codes::run_directory), what);
  diagnostic.with_help("set XDG_RUNTIME_DIR to a directory of yours that can be written");
  return {Failure::host, diagnostic};
}

std::string because(int code) { return ": " + std::generic_category().message(code); }

bool is_own_directory(const std::filesystem::path& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

}  // namespace

std::filesystem::path choose_run_directory(const World& world, const std::string& container) {
  const std::string name = container.starts_with(prefix) ? container.substr(prefix.size()) : container;
  if (const std::optional<std::string> runtime = world.variable("XDG_RUNTIME_DIR");
      runtime && runtime->starts_with("/") && is_own_directory(*runtime)) {
    const std::filesystem::path directory = std::filesystem::path(*runtime) / (std::string(prefix) + name);
    if (directory.string().size() + longest_socket.size() <= most_socket_path) return directory;
  }
  return "/tmp/" + std::string(prefix) + std::to_string(geteuid()) + "-" + name;
}

void make_run_directory(const std::filesystem::path& directory) {
  // mkdir follows no link and takes nothing that is there already, so nobody can have prepared the place.
  if (mkdir(directory.c_str(), 0700) != 0) throw unusable("cannot create " + directory.string() + because(errno));
}

std::filesystem::path make_below(const std::filesystem::path& directory, std::string_view name, unsigned mode) {
  const std::filesystem::path path = directory / name;
  if (mkdir(path.c_str(), 0700) != 0 || chmod(path.c_str(), mode) != 0) {
    throw unusable("cannot create " + path.string() + because(errno));
  }
  return path;
}

void write_below(const std::filesystem::path& directory, std::string_view name, std::string_view bytes, unsigned mode) {
  const std::filesystem::path path = directory / name;
  FileResult<FileDescriptor> file = create_file(path);
  if (!file) throw unusable(file.error().message);
  if (!write_all(file->get(), bytes) || fchmod(file->get(), mode) != 0) {
    throw unusable("cannot write " + path.string() + because(errno));
  }
}

bool remove_run_directory(const std::filesystem::path& directory) {
  if (directory.empty() || !directory.filename().string().starts_with(prefix)) return true;
  std::error_code error;
  if (!is_own_directory(directory)) return !std::filesystem::exists(std::filesystem::symlink_status(directory, error));
  // Directories that nobody may write were made so for the box; their entries must go all the same.
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  for (std::filesystem::recursive_directory_iterator at(directory, options, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_directory(error) && !at->is_symlink(error)) chmod(at->path().c_str(), 0700);
  }
  std::filesystem::remove_all(directory, error);
  return !error;
}

}  // namespace sanduk
