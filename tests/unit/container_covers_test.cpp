// What keeps protected paths as they are, for every shape of workspace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <stdexcept>

#include "container/covers.h"
#include "diagnostics/diagnostic.h"

namespace sanduk {
namespace {

using How = Cover::How;
using testing::ElementsAre;
using testing::IsEmpty;
using Tree = std::map<std::string, PathKind>;

PathLookup in(const Tree& tree) {
  return [tree](const std::string& path) {
    const auto found = tree.find(path);
    return found == tree.end() ? PathKind::missing : found->second;
  };
}

std::vector<Cover> covers(const std::vector<std::string>& paths, const Tree& tree) {
  PlannedWorkspace workspace;
  workspace.protected_paths = paths;
  return covers_of(workspace, in(tree));
}

constexpr PathKind directory = PathKind::directory;
constexpr PathKind file = PathKind::file;

TEST(Covers, what_exists_is_held_and_its_parents_are_pinned) {
  const Tree tree = {{".git", directory}, {".git/hooks", directory}, {".git/config", file}, {"p.toml", file}};
  EXPECT_THAT(covers({".git/hooks", ".git/config", "p.toml"}, tree),
              ElementsAre(Cover{".git", How::pinned}, Cover{"p.toml", How::held}, Cover{".git/config", How::held},
                          Cover{".git/hooks", How::held}));
}

TEST(Covers, what_is_missing_gets_a_stand_in_of_its_likely_kind) {
  EXPECT_THAT(covers({".envrc"}, {}), ElementsAre(Cover{".envrc", How::stand_in_file}));
  EXPECT_THAT(covers({".vscode"}, {}), ElementsAre(Cover{".vscode", How::stand_in_directory}));
  EXPECT_THAT(covers({"scripts/"}, {}), ElementsAre(Cover{"scripts", How::stand_in_directory}));
  EXPECT_THAT(covers({"conf.d"}, {}), ElementsAre(Cover{"conf.d", How::stand_in_directory}));
  EXPECT_THAT(covers({".git/hooks"}, {{".git", directory}}),
              ElementsAre(Cover{".git", How::pinned}, Cover{".git/hooks", How::stand_in_directory}));
}

TEST(Covers, a_missing_parent_is_covered_whole) {
  EXPECT_THAT(covers({".git/hooks", ".git/config"}, {}), ElementsAre(Cover{".git", How::stand_in_directory}));
  EXPECT_THAT(covers({"a/b/c/d"}, {{"a", directory}}),
              ElementsAre(Cover{"a", How::pinned}, Cover{"a/b", How::stand_in_directory}));
}

TEST(Covers, a_parent_that_is_a_file_is_held) {
  EXPECT_THAT(covers({".git/hooks", ".git/config"}, {{".git", file}}), ElementsAre(Cover{".git", How::held}));
}

TEST(Covers, what_lies_in_something_held_is_held_with_it) {
  const Tree tree = {{".git", directory}, {".git/hooks", directory}, {".gitx", file}};
  EXPECT_THAT(covers({".git/hooks", ".git", ".gitx"}, tree),
              ElementsAre(Cover{".git", How::held}, Cover{".gitx", How::held}));
}

TEST(Covers, a_link_on_the_way_is_refused) {
  for (const Tree& tree : {Tree{{".git", PathKind::link}}, Tree{{".git", directory}, {".git/hooks", PathKind::link}}}) {
    try {
      covers({".git/hooks"}, tree);
      FAIL();
    } catch (const RunError& error) {
      EXPECT_EQ(error.failure, Failure::profile);
      EXPECT_EQ(error.diagnostic.code, "protected-path-is-link");
    }
  }
}

TEST(Covers, a_path_that_leaves_the_workspace_is_our_bug) {
  for (const char* path : {"../x", "/etc", "", ".", "a/../../b"}) {
    EXPECT_THROW(covers({path}, {{"a", directory}}), std::logic_error) << path;
  }
}

TEST(MountPoints, what_must_be_made_for_covers_and_mounts) {
  Plan plan;
  plan.workspace.protected_paths = {".git/hooks", ".envrc", "there"};
  plan.mounts = {
      {"/etc/hostname", "/work/in/deep/name", true}, {"/etc", "/work/etc", true}, {"/etc", "/outside", true}};
  const PathLookup lookup = in({{"there", file}, {"in", directory}});
  EXPECT_THAT(missing_mount_points(plan, covers_of(plan.workspace, lookup), lookup),
              ElementsAre(MountPoint{".envrc", false}, MountPoint{".git", true}, MountPoint{"in/deep", true},
                          MountPoint{"in/deep/name", false}, MountPoint{"etc", true}));
}

class MountPointFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/sanduk-covers-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  bool exists(const char* path) const { return std::filesystem::exists(std::filesystem::symlink_status(root_ / path)); }

  std::filesystem::path root_;
};

TEST_F(MountPointFiles, are_made_and_removed) {
  const std::vector<MountPoint> points = {{"a", true}, {"a/b", true}, {"a/b/c", false}, {"d", false}};
  const auto made = make_mount_points(root_, points);
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, points);
  EXPECT_TRUE(exists("a/b/c"));
  remove_mount_points(root_, *made);
  EXPECT_THAT(std::filesystem::directory_iterator(root_) == std::filesystem::directory_iterator(), testing::IsTrue());
}

TEST_F(MountPointFiles, what_is_no_longer_empty_stays) {
  const auto made = make_mount_points(root_, {{"a", true}, {"b", false}, {"c", true}});
  std::ofstream(root_ / "a/new") << "x";
  std::ofstream(root_ / "b") << "x";
  std::filesystem::remove(root_ / "c");
  std::filesystem::create_directory_symlink("/tmp", root_ / "c");
  remove_mount_points(root_, *made);
  EXPECT_TRUE(exists("a/new"));
  EXPECT_TRUE(exists("b"));
  EXPECT_TRUE(exists("c"));
}

TEST_F(MountPointFiles, what_is_there_already_is_not_ours) {
  std::ofstream(root_ / "b");
  const auto made = make_mount_points(root_, {{"b", false}, {"c", false}});
  ASSERT_TRUE(made);
  EXPECT_THAT(*made, ElementsAre(MountPoint{"c", false}));
}

TEST_F(MountPointFiles, no_link_is_followed) {
  std::filesystem::create_directory(root_ / "elsewhere");
  std::filesystem::create_directory_symlink(root_ / "elsewhere", root_ / "link");
  EXPECT_FALSE(make_mount_points(root_, {{"before", true}, {"link/x", false}}));
  EXPECT_FALSE(exists("elsewhere/x"));
  EXPECT_FALSE(exists("before")) << "what was made before the fault is taken back";
  std::ofstream(root_ / "elsewhere/x");
  remove_mount_points(root_, {{"link/x", false}});
  EXPECT_TRUE(exists("elsewhere/x"));
}

TEST_F(MountPointFiles, the_host_is_looked_at_without_following) {
  std::ofstream(root_ / "f");
  std::filesystem::create_directory(root_ / "d");
  std::filesystem::create_symlink("f", root_ / "l");
  ASSERT_EQ(mkfifo((root_ / "p").c_str(), 0600), 0);
  const PathLookup look = look_on_host(root_);
  EXPECT_EQ(look("f"), PathKind::file);
  EXPECT_EQ(look("d"), PathKind::directory);
  EXPECT_EQ(look("l"), PathKind::link);
  EXPECT_EQ(look("p"), PathKind::other);
  EXPECT_EQ(look("none"), PathKind::missing);
}

}  // namespace
}  // namespace sanduk
