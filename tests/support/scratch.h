// A directory of a test's own, gone when the test is: work/ to work in, home/ to stand for the user's home.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sanduk::test {

class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Links resolved, so that what a program prints can be compared.
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path work() const { return root_ / "work"; }
  std::filesystem::path home() const { return root_ / "home"; }

  // Writes root/`relative`, making its directories. Gives the whole path.
  std::filesystem::path write(const std::filesystem::path& relative, std::string_view bytes) const;

 private:
  std::filesystem::path root_;
};

// The whole of a file; a failed test and "" when it cannot be read.
std::string read_whole(const std::filesystem::path& path);

// Everything below `directory`, one line a path with size and time of change: what must stay equal when nothing is
// created.
std::string snapshot(const std::filesystem::path& directory);

}  // namespace sanduk::test
