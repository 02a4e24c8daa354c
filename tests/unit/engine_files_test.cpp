// The run's directory, and the report of an agent that means harm.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "diagnostics/diagnostic.h"
#include "engine/report.h"
#include "engine/run_directory.h"
#include "engine_support.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;

class RunDirectory : public testing::Test {
 protected:
  RunDirectory() : world_(place_) {}
  unsigned mode(const std::filesystem::path& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
  }
  Place place_;
  FakeWorld world_;
};

TEST_F(RunDirectory, LiesBelowTheRuntimeDirectory) {
  EXPECT_EQ(choose_run_directory(world_, "sanduk-0123456789ab"), place_ / "run/sanduk-0123456789ab");
}

TEST_F(RunDirectory, LiesInTmpWhereThatIsMissingForeignOrTooLong) {
  const std::string in_tmp = "/tmp/sanduk-" + std::to_string(geteuid()) + "-0123456789ab";
  world_.variables.erase("XDG_RUNTIME_DIR");
  EXPECT_EQ(choose_run_directory(world_, "sanduk-0123456789ab"), in_tmp);
  world_.variables["XDG_RUNTIME_DIR"] = "/nonexistent";
  EXPECT_EQ(choose_run_directory(world_, "sanduk-0123456789ab"), in_tmp);
  world_.variables["XDG_RUNTIME_DIR"] = "relative";
  EXPECT_EQ(choose_run_directory(world_, "sanduk-0123456789ab"), in_tmp);
  const std::filesystem::path deep = place_ / std::string(80, 'd');
  std::filesystem::create_directories(deep);
  world_.variables["XDG_RUNTIME_DIR"] = deep.string();
  EXPECT_EQ(choose_run_directory(world_, "sanduk-0123456789ab"), in_tmp);
}

TEST_F(RunDirectory, IsPrivateAndWhatLiesBelowIsOpenForTheBox) {
  const std::filesystem::path directory = place_ / "run/sanduk-1";
  make_run_directory(directory);
  EXPECT_EQ(mode(directory), 0700U);
  const std::filesystem::path below = make_below(directory, "helper", 0755);
  write_below(below, "box", "bytes", 0755);
  EXPECT_EQ(mode(below), 0755U);
  EXPECT_EQ(mode(below / "box"), 0755U);
  chmod(below.c_str(), 0555);
  EXPECT_TRUE(remove_run_directory(directory));
  EXPECT_FALSE(std::filesystem::exists(directory));
  EXPECT_TRUE(remove_run_directory(directory)) << "gone is gone";
}

TEST_F(RunDirectory, TakesNoPlaceThatIsTaken) {
  std::filesystem::create_directory_symlink(place_ / "work", place_ / "run/sanduk-2");
  EXPECT_THROW(make_run_directory(place_ / "run/sanduk-2"), RunError);
  std::filesystem::create_directory(place_ / "run/sanduk-3");
  EXPECT_THROW(make_run_directory(place_ / "run/sanduk-3"), RunError);
}

TEST_F(RunDirectory, RemovesNothingElse) {
  place_.write("work/file", "");
  std::filesystem::create_directory_symlink(place_ / "work", place_ / "run/sanduk-4");
  EXPECT_FALSE(remove_run_directory(place_ / "run/sanduk-4"));
  EXPECT_TRUE(remove_run_directory(place_ / "work")) << "not a name of ours: nothing to do";
  EXPECT_TRUE(remove_run_directory(""));
  EXPECT_TRUE(place_.has("work/file"));
  // A link inside is removed, not followed.
  make_run_directory(place_ / "run/sanduk-5");
  std::filesystem::create_directory_symlink(place_ / "work", place_ / "run/sanduk-5/link");
  EXPECT_TRUE(remove_run_directory(place_ / "run/sanduk-5"));
  EXPECT_TRUE(place_.has("work/file"));
}

class Report : public testing::Test {
 protected:
  Report() { std::filesystem::create_directory(place_ / "record"); }
  std::optional<std::string> collect(const ReportMark& old = {}) {
    return collect_report(place_ / "work", "REPORT.md", old, place_ / "record", why_);
  }
  Place place_;
  std::string why_;
};

TEST_F(Report, IsCopied) {
  place_.write("work/REPORT.md", "good\n");
  EXPECT_EQ(collect(), "report/REPORT.md");
  EXPECT_EQ(place_.read("record/report/REPORT.md"), "good\n");
}

TEST_F(Report, MayBeMissing) {
  EXPECT_FALSE(collect());
  EXPECT_EQ(why_, "the agent left no REPORT.md");
}

TEST_F(Report, FromBeforeTheRunIsNotTaken) {
  place_.write("work/REPORT.md", "old\n");
  const ReportMark old = mark_report(place_ / "work", "REPORT.md");
  EXPECT_FALSE(collect(old));
  EXPECT_THAT(why_, HasSubstr("before this run"));
  EXPECT_EQ(place_.read("work/REPORT.md"), "old\n");
}

TEST_F(Report, WrittenAgainWithTheSameWordsIsTaken) {
  place_.write("work/REPORT.md", "same\n");
  const ReportMark old = mark_report(place_ / "work", "REPORT.md");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  place_.write("work/REPORT.md", "same\n");
  EXPECT_TRUE(collect(old));
}

TEST_F(Report, WithItsTimeSetBackIsTaken) {
  place_.write("work/REPORT.md", "same\n");
  const ReportMark old = mark_report(place_ / "work", "REPORT.md");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  place_.write("work/REPORT.md", "else\n");
  timespec times[2];
  times[0].tv_sec = times[1].tv_sec = static_cast<time_t>(old.modified_ns / 1'000'000'000);
  times[0].tv_nsec = times[1].tv_nsec = static_cast<long>(old.modified_ns % 1'000'000'000);
  utimensat(AT_FDCWD, (place_ / "work/REPORT.md").c_str(), times, 0);
  EXPECT_TRUE(collect(old));
}

TEST_F(Report, ThatIsALinkADirectoryOrAPipeIsNotTaken) {
  place_.write("secret", "secret");
  std::filesystem::create_symlink(place_ / "secret", place_ / "work/REPORT.md");
  EXPECT_FALSE(collect());
  EXPECT_THAT(why_, HasSubstr("link"));
  std::filesystem::remove(place_ / "work/REPORT.md");
  std::filesystem::create_directory(place_ / "work/REPORT.md");
  EXPECT_FALSE(collect());
  std::filesystem::remove(place_ / "work/REPORT.md");
  ASSERT_EQ(mkfifo((place_ / "work/REPORT.md").c_str(), 0600), 0);
  EXPECT_FALSE(collect()) << "and nobody waits for a writer";
  EXPECT_FALSE(place_.has("record/report"));
}

TEST_F(Report, BehindALinkIsNotTaken) {
  place_.write("secret", "secret");
  std::filesystem::create_directory_symlink(place_ / "", place_ / "work/out");
  EXPECT_FALSE(collect_report(place_ / "work", "out/secret", {}, place_ / "record", why_));
}

TEST_F(Report, ThatIsTooLargeIsNotTaken) {
  place_.write("work/REPORT.md", std::string((16 << 20) + 1, 'x'));
  EXPECT_FALSE(collect());
  EXPECT_THAT(why_, HasSubstr("larger"));
}

}  // namespace
}  // namespace sanduk::test
