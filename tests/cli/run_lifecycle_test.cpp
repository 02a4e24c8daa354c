// The life of a run as a user sees it: the real program, an engine that is a script, signals from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "base/process.h"
#include "support/scratch.h"
#include "unit/engine_fake.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Lifecycle : public testing::Test {
 protected:
  Lifecycle() {
    chmod(scratch_.write("fake/docker", fake_engine).c_str(), 0755);
    scratch_.write("fake/image", "x\n");
    scratch_.write("work/answers.jsonl", R"({"route":"POST /v1/messages","status":200,"body":{"type":"message"}})"
                                         "\n");
    scratch_.write("work/p.toml",
                   "[provider]\nname = \"replay\"\ncassette = \"answers.jsonl\"\n"
                   "[agent]\nname = \"command\"\ncommand = [\"true\"]\n"
                   "[image]\nref = \"test-image\"\n[workspace]\npath = \"tree\"\n");
    std::filesystem::create_directories(scratch_.work() / "tree");
    std::filesystem::create_directory(scratch_.root() / "run");
    agent("echo hello");
  }

  void agent(const std::string& script) { scratch_.write("fake/agent", script + "\n"); }

  Child start(const std::vector<std::string>& words) {
    const std::string path = (scratch_.root() / "fake").string() + ":" + getenv("PATH");
    Command command;
    command.argv = {"env",
                    "-i",
                    "-C",
                    scratch_.work(),
                    "PATH=" + path,
                    "HOME=" + scratch_.home().string(),
                    "XDG_RUNTIME_DIR=" + (scratch_.root() / "run").string(),
                    SANDUK_BINARY};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    return Child::start(command);
  }

  // Reads both streams to their end and waits.
  int finish(Child& child) {
    std::thread errors([&] { errors_ = read_all(child.error_fd()); });
    output_ = read_all(child.output_fd());
    errors.join();
    return child.wait_for(std::chrono::seconds(60)).value_or(-1);
  }

  static std::string read_all(int fd) {
    std::string text;
    char buffer[4096];
    for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(got));
    return text;
  }

  bool until(const std::function<bool()>& condition, int seconds = 20) {
    for (int i = 0; i < seconds * 100; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return condition();
  }

  bool agent_works() {
    return until([&] { return std::filesystem::exists(scratch_.root() / "fake/up"); });
  }

  std::vector<std::string> list(const std::filesystem::path& directory) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
      names.push_back(entry.path().filename());
    return names;
  }

  std::vector<std::string> left_over() {
    std::vector<std::string> names = list(scratch_.root() / "fake/containers");
    for (const std::filesystem::path& place : {scratch_.root() / "run", state() / "live", scratch_.work() / "tree"}) {
      for (const std::string& name : list(place)) names.push_back(place / name);
    }
    return names;
  }

  std::filesystem::path state() { return scratch_.home() / ".local/state/sanduk"; }

  Scratch scratch_;
  std::string output_;
  std::string errors_;
  const std::string long_agent_ = "touch " + (scratch_.root() / "fake/up").string() + "; echo up; sleep 60";
};

TEST_F(Lifecycle, ResultsGoToOutputAllElseToErrorsAndNoEscapeByteToEither) {
  Child child = start({"apply", "p.toml"});
  EXPECT_EQ(finish(child), 0) << errors_;
  EXPECT_EQ(output_, "hello\n");
  EXPECT_THAT(errors_, HasSubstr("agent command\n  | hello\n"));
  EXPECT_EQ((output_ + errors_).find('\x1b'), std::string::npos);
  EXPECT_THAT(left_over(), IsEmpty());
  EXPECT_EQ(list(state() / "runs").size(), 1U);
}

TEST_F(Lifecycle, TheAgentsCodeIsTheTools) {
  agent("exit 7");
  Child child = start({"apply", "p.toml"});
  EXPECT_EQ(finish(child), 7);
  EXPECT_THAT(errors_, HasSubstr("agent-failed"));
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(Lifecycle, AStoppedEngineIsSaidAndNothingIsStarted) {
  scratch_.write("fake/fail-inspect-image", "Cannot connect to the Docker daemon. Is the docker daemon running?\n");
  Child child = start({"apply", "p.toml"});
  EXPECT_EQ(finish(child), 3);
  EXPECT_THAT(errors_, HasSubstr("engine-stopped"));
  EXPECT_THAT(read_whole(scratch_.root() / "fake/calls"), Not(HasSubstr("create")));
  EXPECT_THAT(left_over(), IsEmpty());
}

class EachSignal : public Lifecycle, public testing::WithParamInterface<int> {};

TEST_P(EachSignal, EndsTheRunAndLeavesNothing) {
  agent(long_agent_);
  Child child = start({"apply", "p.toml"});
  ASSERT_TRUE(agent_works());
  kill(child.pid(), GetParam());
  EXPECT_EQ(finish(child), 128 + GetParam());
  EXPECT_THAT(errors_, HasSubstr("interrupted"));
  EXPECT_THAT(left_over(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Signals, EachSignal, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(Lifecycle, ImpatienceDoesNotLeaveAnything) {
  agent(long_agent_);
  scratch_.write("fake/slow-rm", "0.5");
  Child child = start({"apply", "p.toml"});
  ASSERT_TRUE(agent_works());
  for (int i = 0; i < 4; ++i) {
    kill(child.pid(), SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(finish(child), 128 + SIGINT);
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(Lifecycle, AReaderThatGoesAwayDoesNotEndTheRunInTheMiddle) {
  agent("echo up; sleep 0.3; for i in 1 2 3 4 5; do echo line; echo line >&2; done");
  Child child = start({"apply", "p.toml"});
  child.close_streams();
  EXPECT_EQ(child.wait_for(std::chrono::seconds(30)), 0);
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(Lifecycle, AfterAKillTheWatcherCleansUp) {
  agent(long_agent_);
  Child child = start({"apply", "p.toml"});
  ASSERT_TRUE(agent_works());
  kill(child.pid(), SIGKILL);
  // The streams end as well: the watcher holds none of them.
  EXPECT_EQ(finish(child), 128 + SIGKILL);
  EXPECT_TRUE(until([&] { return left_over().empty(); })) << testing::PrintToString(left_over());
  EXPECT_THAT(read_whole(state() / "runs" / list(state() / "runs").at(0) / "run.json"), HasSubstr("\"abandoned\""));
}

TEST_F(Lifecycle, TwoRunsAtOnceLeaveEachOtherAlone) {
  agent("echo up; sleep 1; echo done");
  Child first = start({"apply", "p.toml"});
  Child second = start({"apply", "p.toml"});
  EXPECT_EQ(finish(first), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("done"));
  EXPECT_EQ(finish(second), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("done"));
  EXPECT_THAT(left_over(), IsEmpty());
  EXPECT_EQ(list(state() / "runs").size(), 2U);
}

}  // namespace
}  // namespace sanduk::test
