#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "base/secret.h"

namespace sanduk {
namespace {

FileError failed(std::string_view verb, const std::filesystem::path& path, int code) {
  return {"cannot " + std::string(verb) + " " + path.string() + ": " + std::strerror(code), code};
}

// Reads what is left of a regular file behind `fd`.
FileResult<std::string> read_all(int fd, const std::filesystem::path& path, std::size_t most) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return failed("read", path, errno);
  if (S_ISDIR(status.st_mode)) return failed("read", path, EISDIR);
  if (!S_ISREG(status.st_mode)) return FileError{"cannot read " + path.string() + ": not a regular file"};
  std::string bytes;
  for (;;) {
    const std::size_t before = bytes.size();
    const std::size_t want = std::min<std::size_t>(most + 1 - before, 65536);
    bytes.resize(before + want);
    const ssize_t got = read(fd, bytes.data() + before, want);
    if (got < 0 && errno != EINTR) return failed("read", path, errno);
    bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (bytes.size() > most) {
      return FileError{"cannot read " + path.string() + ": larger than " + std::to_string(most) + " bytes", EFBIG};
    }
    if (got == 0) return bytes;
  }
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.release();
  }
  return *this;
}

int FileDescriptor::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

void FileDescriptor::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

FileResult<std::string> read_file(const std::filesystem::path& path, std::size_t most) {
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return failed("read", path, errno);
  return read_all(fd.get(), path, most);
}

FileResult<std::string> read_file_beneath(const std::filesystem::path& root, const std::filesystem::path& relative,
                                          std::size_t most) {
  FileDescriptor at(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!at) return failed("read", root, errno);
  const std::vector<std::filesystem::path> parts(relative.begin(), relative.end());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == ".." || parts[i].is_absolute())
      return FileError{"cannot read " + relative.string() + ": leaves " + root.string()};
    const bool last = i + 1 == parts.size();
    const int kind = last ? O_NONBLOCK | O_NOCTTY : O_DIRECTORY;
    FileDescriptor next(openat(at.get(), parts[i].c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind));
    if (!next) {
      if (errno == ELOOP || (errno == ENOTDIR && !last)) {
        return FileError{"cannot read " + relative.string() + ": " + parts[i].string() +
                         " is a link or not a directory"};
      }
      return failed("read", relative, errno);
    }
    at = std::move(next);
  }
  return read_all(at.get(), relative, most);
}

std::optional<FileError> write_file_atomically(const std::filesystem::path& path, std::string_view bytes,
                                               unsigned mode) {
  std::filesystem::path temporary = path;
  temporary += ".new-" + random_hex(6);
  FileResult<FileDescriptor> file = create_file(temporary, mode);
  if (!file) return failed("write", path, file.error().code);
  const bool whole = write_all(file->get(), bytes) && fsync(file->get()) == 0;
  if (whole && rename(temporary.c_str(), path.c_str()) == 0) return std::nullopt;
  const int code = errno;
  unlink(temporary.c_str());
  return failed("write", path, code);
}

FileResult<FileDescriptor> create_file(const std::filesystem::path& path, unsigned mode) {
  FileDescriptor fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd) return failed("create", path, errno);
  return fd;
}

std::optional<FileError> make_private_directory(const std::filesystem::path& path) {
  std::error_code error;
  if (path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) return failed("create directory", path.parent_path(), error.value());
  }
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed("create directory", path, errno);
  if (!std::filesystem::is_directory(path, error)) return failed("create directory", path, ENOTDIR);
  return std::nullopt;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::filesystem::path resolved(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error).lexically_normal();
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(absolute, error);
  std::filesystem::path result = error ? absolute : canonical;
  if (result.has_relative_path() && !result.has_filename()) result = result.parent_path();
  return result;
}

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& directory) {
  const auto [end, unused] = std::mismatch(directory.begin(), directory.end(), path.begin(), path.end());
  return end == directory.end();
}

}  // namespace sanduk
