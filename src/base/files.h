// Files and paths: read with a bound, write whole or not at all, never follow a link where somebody else could lay one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sanduk {

// A failed operation on a file, told in words that stand alone ("cannot read x: No such file or directory").
struct FileError {
  std::string message;
  int code = 0;  // errno (EFBIG: more than was allowed), or 0 where the fault is ours (not a regular file)
};

// A value or a FileError. (std::expected is C++23.)
template <class T>
class FileResult {
 public:
  FileResult(T value) : value_(std::move(value)) {}
  FileResult(FileError error) : error_(std::move(error)) {}
  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const FileError& error() const { return error_; }

 private:
  std::optional<T> value_;
  FileError error_;
};

// An open file descriptor that is closed with its owner.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void close();

 private:
  int fd_ = -1;
};

// The whole of a regular file of at most `most` bytes. Follows links; does not block on a fifo.
FileResult<std::string> read_file(const std::filesystem::path& path, std::size_t most);

// The same for a file that a hostile program may have made: no link is followed, at the end or on the way from `root`
// (an existing directory of ours) to root/relative, and only a regular file is read. At most `most` bytes.
FileResult<std::string> read_file_beneath(const std::filesystem::path& root, const std::filesystem::path& relative,
                                          std::size_t most);

// Writes a temporary file beside `path` and renames it: readers see the old file or the new one.
std::optional<FileError> write_file_atomically(const std::filesystem::path& path, std::string_view bytes,
                                               unsigned mode = 0600);

// A new file, 0600 unless said, that did not exist: O_EXCL and O_NOFOLLOW.
FileResult<FileDescriptor> create_file(const std::filesystem::path& path, unsigned mode = 0600);

// Makes `path` and its parents; the last one 0700. Existing directories stay as they are.
std::optional<FileError> make_private_directory(const std::filesystem::path& path);

// All of `bytes` to `fd`, through short writes and interrupts.
bool write_all(int fd, std::string_view bytes);

// Absolute, without "." and "..", links resolved as far as the path exists.
std::filesystem::path resolved(const std::filesystem::path& path);

// Whether `path` is `directory` or below it. Both already resolved.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& directory);

}  // namespace sanduk
