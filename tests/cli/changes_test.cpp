// workspace.mode = copy, `sanduk changes` and `sanduk take`: on an engine that is a script, whose agent finds the copy
// in the words that the engine was given. That a real box sees the copy is shown in tests/container.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "cli/lifecycle.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Changes : public Lifecycle {
 protected:
  Changes() {
    scratch_.write("work/tree/kept", "kept\n");
    scratch_.write("work/tree/edited", "one\ntwo\n");
    scratch_.write("work/tree/gone", "gone\n");
    scratch_.write("work/tree/mine", "mine\n");
  }
  int call(const std::vector<std::string>& words) {
    Child child = start(words);
    return finish(child);
  }
  // Runs `script` where the box would have /work.
  int apply(const std::string& script) {
    agent("place=$(grep -o 'source=[^,]*,target=/work ' " + (scratch_.root() / "fake/words").string() +
          " | tail -n 1); place=${place#source=}\n"
          "cd \"${place%%,*}\" || exit 9; " +
          script);
    return call({"apply", "p.toml", "--workspace-mode", "copy"});
  }
  std::string tree(const std::string& name) { return read_whole(scratch_.work() / "tree" / name); }
  bool has(const std::string& name) {
    return std::filesystem::exists(std::filesystem::symlink_status(scratch_.work() / "tree" / name));
  }
};

TEST_F(Changes, AreShownAndTakenAndTheWorkspaceStaysUntilThen) {
  EXPECT_EQ(apply("echo three >> edited; rm gone; mkdir sub; echo new > sub/added; echo '# R' > REPORT.md; "
                  "printf '#!/bin/sh\\n' > sub/run; chmod 755 sub/run; echo '{}' > package.json"),
            0)
      << errors_;
  EXPECT_EQ(tree("edited"), "one\ntwo\n");
  EXPECT_TRUE(has("gone"));
  EXPECT_FALSE(has("sub"));
  EXPECT_THAT(errors_, HasSubstr("package.json (package script, new)"));
  scratch_.write("work/tree/mine", "I went on\n");
  scratch_.write("work/tree/later", "and made this\n");
  EXPECT_EQ(call({"changes", "last"}), 0) << errors_;
  for (const char* line : {"M edited", "D gone", "A sub/added", "+three", "-gone", "A package.json  (package script"})
    EXPECT_THAT(output_, HasSubstr(line));
  EXPECT_THAT(output_, Not(HasSubstr("mine")));
  EXPECT_THAT(output_, Not(HasSubstr("later")));
  EXPECT_EQ(call({"take", "last", "--json"}), 0) << errors_;
  EXPECT_EQ(tree("edited"), "one\ntwo\nthree\n");
  EXPECT_FALSE(has("gone"));
  EXPECT_EQ(tree("sub/added"), "new\n");
  EXPECT_EQ(
      std::filesystem::status(scratch_.work() / "tree/sub/run").permissions() & std::filesystem::perms::owner_exec,
      std::filesystem::perms::owner_exec);
  EXPECT_EQ(tree("mine"), "I went on\n");
  EXPECT_EQ(tree("later"), "and made this\n");
  EXPECT_EQ(call({"changes", "last"}), 0);
  EXPECT_THAT(errors_, HasSubstr("nothing was changed"));
}

TEST_F(Changes, OfBothSidesAreAConflict) {
  EXPECT_EQ(apply("echo theirs > edited"), 0) << errors_;
  scratch_.write("work/tree/edited", "ours\n");
  EXPECT_EQ(call({"take", "last"}), 2);
  EXPECT_THAT(errors_, HasSubstr("take-conflict"));
  EXPECT_EQ(tree("edited"), "ours\n");
  EXPECT_EQ(call({"take", "last", "--force"}), 0);
  EXPECT_EQ(tree("edited"), "theirs\n");
}

TEST_F(Changes, FollowNoLink) {
  const std::filesystem::path outside = scratch_.write("outside", "outside\n");
  EXPECT_EQ(apply("rm edited; ln -s " + outside.string() + " edited; mkdir d; echo x > d/file; chmod 4755 d/file"), 0);
  EXPECT_EQ(call({"changes", "last"}), 0);
  EXPECT_THAT(output_, HasSubstr("edited -> " + outside.string()));
  EXPECT_THAT(output_, Not(HasSubstr("outside\n+")));
  // A directory of the workspace that has become a link by now leads nowhere.
  std::filesystem::create_directory(scratch_.root() / "elsewhere");
  std::filesystem::create_symlink(scratch_.root() / "elsewhere", scratch_.work() / "tree/d");
  EXPECT_EQ(call({"take", "last", "--force"}), 3);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.root() / "elsewhere"));
  EXPECT_TRUE(std::filesystem::is_symlink(scratch_.work() / "tree/edited"));
  EXPECT_EQ(read_whole(outside), "outside\n");
}

// Pipes, sockets and devices are nothing to take, and nobody waits at them.
TEST_F(Changes, APipeOrASocketIsNotWaitedFor) {
  scratch_.write("work/tree/was-file", "file\n");
  EXPECT_EQ(apply("mkfifo pipe; rm was-file; mkfifo was-file; rm edited; "
                  "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"edited\")'; echo new > added"),
            0)
      << errors_;
  ASSERT_EQ(mkfifo((scratch_.work() / "tree/own-pipe").c_str(), 0600), 0);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(call({"changes", "last"}), 0) << errors_;
  EXPECT_EQ(call({"take", "last"}), 0) << errors_;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_THAT(output_, HasSubstr("A added"));
  EXPECT_THAT(output_, HasSubstr("D edited"));
  EXPECT_THAT(output_, Not(HasSubstr("pipe")));
  EXPECT_FALSE(has("was-file"));
  EXPECT_TRUE(has("own-pipe"));
}

TEST_F(Changes, OfALivingRunAreShownAndNotTaken) {
  agent("sleep 60");
  Child run = start({"apply", "p.toml", "--workspace-mode", "copy"});
  ASSERT_TRUE(until([&] { return call({"changes", "last"}) == 0; }));
  EXPECT_THAT(errors_, HasSubstr("the run is at work"));
  EXPECT_EQ(call({"take", "last"}), 2);
  EXPECT_THAT(errors_, HasSubstr("run-is-live"));
  run.signal_group(SIGTERM);
  finish(run);
  EXPECT_EQ(call({"take", "last"}), 0) << errors_;
}

TEST_F(Changes, ARunOnTheWorkspaceItselfHasNone) {
  EXPECT_EQ(call({"apply", "p.toml"}), 0);
  EXPECT_EQ(call({"changes", "last"}), 2);
  EXPECT_THAT(errors_, HasSubstr("no-copy"));
}

TEST_F(Changes, ACopyThatCannotBeMadeEndsTheRun) {
  scratch_.write("fake/cp", "#!/bin/sh\necho 'No space left on device' >&2; exit 1\n");
  chmod((scratch_.root() / "fake/cp").c_str(), 0755);
  EXPECT_EQ(call({"apply", "p.toml", "--workspace-mode", "copy"}), 3);
  EXPECT_THAT(errors_, HasSubstr("workspace-copy"));
  EXPECT_THAT(errors_, HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace sanduk::test
