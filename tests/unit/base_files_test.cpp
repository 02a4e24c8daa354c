#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/files.h"
#include "support/scratch.h"

namespace sanduk {
namespace {

namespace fs = std::filesystem;

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(lstat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(Files, ReadsWithABound) {
  const test::Scratch scratch;
  const fs::path file = scratch.write("work/file", std::string(1000, 'x'));
  EXPECT_EQ(read_file(file, 1000)->size(), 1000U);
  const FileResult<std::string> too_much = read_file(file, 999);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().code, EFBIG);
  EXPECT_EQ(*read_file(scratch.write("work/empty", ""), 0), "");
}

TEST(Files, ReadsOnlyRegularFilesAndNeverBlocks) {
  const test::Scratch scratch;
  const fs::path fifo = scratch.work() / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(read_file(fifo, 10));
  EXPECT_FALSE(read_file(scratch.work(), 10));
  EXPECT_FALSE(read_file("/dev/zero", 10));
  EXPECT_EQ(read_file(scratch.work() / "none", 10).error().code, ENOENT);
}

TEST(Files, FollowsNoLinkBeneath) {
  const test::Scratch scratch;
  scratch.write("secret/key", "the key");
  scratch.write("work/real/report", "fine");
  fs::create_symlink(scratch.root() / "secret/key", scratch.work() / "link");
  fs::create_directory_symlink(scratch.root() / "secret", scratch.work() / "way");
  ASSERT_EQ(mkfifo((scratch.work() / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(*read_file_beneath(scratch.work(), "real/report", 100), "fine");
  for (const char* path : {"link", "way/key", "../secret/key", "real/../../secret/key", "fifo", "real", "none"}) {
    EXPECT_FALSE(read_file_beneath(scratch.work(), path, 100)) << path;
  }
  EXPECT_FALSE(read_file_beneath(scratch.work(), scratch.root() / "secret/key", 100));
}

// Somebody swaps the file for a link, again and again, while it is read: what comes is the file or nothing.
TEST(Files, LosesNoRaceAgainstALink) {
  const test::Scratch scratch;
  scratch.write("secret/report", "the key");
  scratch.write("work/dir/report", "fine");
  std::atomic<bool> stop{false};
  std::thread enemy([&] {
    const fs::path dir = scratch.work() / "dir";
    const fs::path aside = scratch.work() / "aside";
    while (!stop) {
      rename(dir.c_str(), aside.c_str());
      symlink((scratch.root() / "secret").c_str(), dir.c_str());
      unlink(dir.c_str());
      rename(aside.c_str(), dir.c_str());
    }
  });
  int read = 0;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int i = 0; i < 3000 || (read == 0 && std::chrono::steady_clock::now() < patience); ++i) {
    const FileResult<std::string> text = read_file_beneath(scratch.work(), "dir/report", 100);
    if (!text) continue;
    ++read;
    ASSERT_EQ(*text, "fine");
  }
  stop = true;
  enemy.join();
  EXPECT_GT(read, 0);
}

TEST(Files, WritesWholeOrNotAtAll) {
  const test::Scratch scratch;
  const fs::path file = scratch.write("work/file", "old");
  EXPECT_FALSE(write_file_atomically(file, "new"));
  EXPECT_EQ(test::read_whole(file), "new");
  EXPECT_EQ(mode_of(file), 0600U);
  EXPECT_TRUE(write_file_atomically(scratch.work() / "none/file", "x"));
  EXPECT_TRUE(write_file_atomically("/dev/full/x", "x"));
  // Nothing of the attempt is left beside it.
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.work()), fs::directory_iterator()), 1);
}

TEST(Files, ReplacesALinkAndNotWhatItLeadsTo) {
  const test::Scratch scratch;
  const fs::path other = scratch.write("work/other", "mine");
  fs::create_symlink(other, scratch.work() / "out");
  EXPECT_FALSE(write_file_atomically(scratch.work() / "out", "new"));
  EXPECT_EQ(test::read_whole(other), "mine");
  EXPECT_FALSE(fs::is_symlink(scratch.work() / "out"));
}

TEST(Files, CreatesOnlyWhatWasNotThere) {
  const test::Scratch scratch;
  EXPECT_TRUE(create_file(scratch.work() / "new"));
  EXPECT_EQ(mode_of(scratch.work() / "new"), 0600U);
  EXPECT_EQ(create_file(scratch.work() / "new").error().code, EEXIST);
  fs::create_symlink(scratch.work() / "nowhere", scratch.work() / "link");
  EXPECT_FALSE(create_file(scratch.work() / "link"));
  EXPECT_FALSE(fs::exists(scratch.work() / "nowhere"));
}

TEST(Files, MakesPrivateDirectories) {
  const test::Scratch scratch;
  const fs::path path = scratch.work() / "a/b/c";
  EXPECT_FALSE(make_private_directory(path));
  EXPECT_EQ(mode_of(path), 0700U);
  EXPECT_FALSE(make_private_directory(path));
  scratch.write("work/file", "");
  EXPECT_TRUE(make_private_directory(scratch.work() / "file"));
  EXPECT_TRUE(make_private_directory(scratch.work() / "file/x"));
}

TEST(Files, KnowsWhatIsInside) {
  EXPECT_TRUE(is_inside("/a/b", "/a"));
  EXPECT_TRUE(is_inside("/a", "/a"));
  EXPECT_FALSE(is_inside("/ab", "/a"));
  EXPECT_FALSE(is_inside("/a", "/a/b"));
  EXPECT_TRUE(is_inside("/a", "/"));
}

TEST(Files, ResolvesAsFarAsThePathExists) {
  const test::Scratch scratch;
  fs::create_directory(scratch.work() / "real");
  fs::create_directory_symlink("real", scratch.work() / "link");
  EXPECT_EQ(resolved(scratch.work() / "link/not/there"), scratch.work() / "real/not/there");
  EXPECT_EQ(resolved(scratch.work() / "link/"), scratch.work() / "real");
  EXPECT_EQ(resolved(scratch.work() / "real/../link/./x"), scratch.work() / "real/x");
  EXPECT_EQ(resolved("/"), "/");
}

TEST(Files, ClosesADescriptorOnce) {
  FileDescriptor first(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int number = first.get();
  FileDescriptor second = std::move(first);
  EXPECT_EQ(second.get(), number);
  second = FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
  EXPECT_GE(fcntl(second.get(), F_GETFD), 0);
}

}  // namespace
}  // namespace sanduk
