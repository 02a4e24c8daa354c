// ps, stop, clean, destroy, gc, logs, exec, attach, build, system: the real program on an engine that is a script. What
// a real engine answers to the same words is proved in tests/container.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/lifecycle.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Runs : public Lifecycle {
 protected:
  // A run at work, and its id.
  Child working() {
    agent(long_agent_);
    Child child = start({"apply", "p.toml"});
    EXPECT_TRUE(agent_works());
    return child;
  }
  std::string run_id() { return list(state() / "runs").at(0); }

  int call(const std::vector<std::string>& words) {
    Child child = start(words);
    return finish(child);
  }
};

TEST_F(Runs, PsShowsARunAtWorkAndAllShowsThoseThatAreOver) {
  EXPECT_EQ(call({"ps", "--json"}), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("\"runs\": []"));
  EXPECT_EQ(call({"apply", "p.toml"}), 0);
  EXPECT_EQ(call({"ps"}), 0);
  EXPECT_THAT(output_, Not(HasSubstr(run_id())));
  EXPECT_EQ(call({"ps", "--all"}), 0);
  EXPECT_THAT(output_, HasSubstr(run_id()));
  EXPECT_THAT(output_, HasSubstr("done"));
  std::filesystem::remove_all(state());
  Child child = working();
  EXPECT_EQ(call({"ps", "--json"}), 0);
  EXPECT_THAT(output_, HasSubstr("\"state\": \"running\""));
  EXPECT_THAT(output_, HasSubstr("\"owner_lives\": true"));
  kill(child.pid(), SIGTERM);
  finish(child);
}

TEST_F(Runs, AListingThatFailsIsAnErrorAndNeverEmpty) {
  scratch_.write("fake/fail-ps", "Cannot connect to the Docker daemon.\n");
  for (const char* command : {"ps", "stop", "clean", "destroy", "gc"}) {
    EXPECT_EQ(call({command, "--runtime", "docker"}), 3) << command;
    EXPECT_EQ(output_, "") << command;
    EXPECT_THAT(errors_, HasSubstr("engine-stopped")) << command;
  }
}

TEST_F(Runs, AListingThatCannotBeReadIsAnErrorToo) {
  scratch_.write("fake/ps", "sanduk-1\trunning\n");
  EXPECT_EQ(call({"ps", "--runtime", "docker"}), 3);
  EXPECT_THAT(errors_, HasSubstr("engine-answer"));
  EXPECT_EQ(output_, "");
}

TEST_F(Runs, StopAndCleanLeaveALivingOwnerAloneUnlessNamedOrAll) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"stop", "--all"}, {"clean", "--all"}, {"stop", "last"}, {"clean", "last"}}) {
    std::filesystem::remove_all(state());
    std::filesystem::remove(scratch_.root() / "fake/up");
    Child child = working();
    EXPECT_EQ(call({words[0]}), 0);
    EXPECT_THAT(errors_, HasSubstr("nothing to do"));
    EXPECT_EQ(list(scratch_.root() / "fake/containers").size(), 1U) << "still there";
    EXPECT_EQ(call(words), 0) << errors_;
    EXPECT_THAT(output_, HasSubstr("run " + run_id()));
    EXPECT_EQ(child.wait_for(std::chrono::seconds(20)), 128 + SIGTERM) << "the owner undid its run";
    EXPECT_THAT(left_over(), IsEmpty());
  }
}

TEST_F(Runs, WhatADeadOwnerLeftIsStoppedThenRemoved) {
  Child child = working();
  const std::string owner = "999999999";
  const std::string name = list(scratch_.root() / "fake/containers").at(0);
  kill(child.pid(), SIGTERM);
  finish(child);
  // The container of an owner that is gone, its record lost.
  scratch_.write("fake/containers/" + name, "\t" + name + "\t" + owner + "\t1\t" + state().string());
  std::filesystem::remove(scratch_.root() / ("fake/exit/" + name));
  std::filesystem::remove_all(state());
  EXPECT_EQ(call({"ps"}), 0);
  EXPECT_THAT(output_, HasSubstr("orphaned"));
  EXPECT_EQ(call({"stop"}), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("stopped"));
  EXPECT_EQ(list(scratch_.root() / "fake/containers").size(), 1U);
  EXPECT_EQ(call({"gc", "--json"}), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("removed"));
  EXPECT_THAT(list(scratch_.root() / "fake/containers"), IsEmpty());
  EXPECT_EQ(call({"gc"}), 0);
  EXPECT_THAT(errors_, HasSubstr("nothing is left over"));
}

TEST_F(Runs, AKeptContainerIsCleanedByHandOnly) {
  EXPECT_EQ(call({"apply", "p.toml", "--keep"}), 0) << errors_;
  EXPECT_EQ(call({"gc"}), 0);
  EXPECT_EQ(call({"ps"}), 0);
  EXPECT_THAT(output_, HasSubstr("kept"));
  EXPECT_EQ(call({"clean"}), 0) << errors_;
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(Runs, DestroyRemovesTheImagesThatSandukBuilt) {
  scratch_.write("fake/images", "sha256:1\nsha256:1\n");
  EXPECT_EQ(call({"destroy", "--runtime", "docker"}), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("image sha256:1: removed"));
  EXPECT_THAT(read_whole(scratch_.root() / "fake/words"), HasSubstr("label=sanduk.agent-uid"));
}

TEST_F(Runs, LogsPrintWhatTheAgentPrintedAndFollowToTheEnd) {
  agent("echo out; echo err >&2");
  EXPECT_EQ(call({"apply", "p.toml"}), 0);
  EXPECT_EQ(call({"logs", "last"}), 0);
  EXPECT_EQ(output_, "out\n");
  EXPECT_EQ(errors_, "err\n");
  std::filesystem::remove_all(state());
  agent("touch " + (scratch_.root() / "fake/up").string() + "; echo one; sleep 2; echo two");
  Child child = start({"apply", "p.toml"});
  ASSERT_TRUE(agent_works());
  EXPECT_EQ(call({"logs", "-f", run_id()}), 0);
  EXPECT_EQ(output_, "one\ntwo\n");
  finish(child);
}

TEST_F(Runs, ExecAndAttachReachARunningBoxAndNoOther) {
  Child child = working();
  EXPECT_EQ(call({"exec", "last", "--", "sh", "-c", "echo inside; exit 5"}), 5) << errors_;
  EXPECT_EQ(call({"attach", run_id().substr(0, 8)}), 0) << errors_;
  EXPECT_THAT(read_whole(scratch_.root() / "fake/words"), HasSubstr("attach --no-stdin --sig-proxy=false sanduk-"));
  EXPECT_EQ(call({"exec", "nosuchrun", "--", "true"}), 2);
  EXPECT_THAT(errors_, HasSubstr("unknown-run"));
  kill(child.pid(), SIGTERM);
  finish(child);
  EXPECT_EQ(call({"exec", "last", "--", "true"}), 1);
  EXPECT_THAT(errors_, HasSubstr("run-not-running"));
}

TEST_F(Runs, BuildBuildsOnceOrByForceAndLeavesOnlyItsRecord) {
  scratch_.write("work/Containerfile", "FROM scratch\n");
  std::filesystem::remove(scratch_.root() / "fake/image");
  scratch_.write("fake/after-build", "echo x > \"$FAKE/image\"\n");  // an image without our label
  EXPECT_EQ(call({"build", "p.toml", "--image", "mine:1", "--containerfile", "Containerfile", "--dry-run"}), 0)
      << errors_;
  EXPECT_THAT(output_, HasSubstr("docker build --force-rm --tag mine:1 --file"));
  EXPECT_FALSE(std::filesystem::exists(scratch_.root() / "fake/calls"));
  const std::vector<std::string> build = {"build", "p.toml", "--image", "mine:1", "--containerfile", "Containerfile"};
  EXPECT_EQ(call(build), 0) << errors_;
  EXPECT_EQ(output_, "mine:1\n");
  EXPECT_EQ(call(build), 0);
  const auto builds = [&] {
    std::size_t count = 0;
    const std::string calls = read_whole(scratch_.root() / "fake/calls");
    for (std::size_t at = 0; (at = calls.find("build ", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(builds(), 1U);
  std::vector<std::string> forced = build;
  forced.emplace_back("--force");
  EXPECT_EQ(call(forced), 0);
  EXPECT_EQ(builds(), 2U);
  EXPECT_THAT(left_over(), IsEmpty());
  EXPECT_EQ(call({"build", "p.toml"}), 2) << "an image alone is nothing to build from";
  EXPECT_THAT(errors_, HasSubstr("no-effect"));
}

TEST_F(Runs, SystemSaysWhatIsReadyAndDoesNotStartWhatIsNotOurs) {
  EXPECT_EQ(call({"system", "status", "--runtime", "docker"}), 0) << errors_;
  EXPECT_EQ(output_, "docker: ready, version 20.10.24\n");
  EXPECT_EQ(call({"system", "start", "--runtime", "docker"}), 3);
  EXPECT_THAT(errors_, HasSubstr("not-managed"));
  EXPECT_THAT(errors_, HasSubstr("systemctl"));
  scratch_.write("fake/fail-info", "Cannot connect\n");
  EXPECT_EQ(call({"system", "status", "--runtime", "docker", "--json"}), 3);
  EXPECT_THAT(output_, HasSubstr("\"state\": \"not ready\""));
  EXPECT_EQ(call({"list", "runtimes", "--json"}), 0);
  EXPECT_THAT(output_, HasSubstr("\"ready\": \"no\""));
  EXPECT_EQ(call({"system", "restart"}), 2);
}

TEST_F(Runs, AShellNeedsATerminal) {
  EXPECT_EQ(call({"shell", "p.toml"}), 2);
  EXPECT_THAT(errors_, HasSubstr("no-terminal"));
  EXPECT_EQ(call({"shell", "p.toml", "--dry-run"}), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("exec bash -i"));
}

}  // namespace
}  // namespace sanduk::test
