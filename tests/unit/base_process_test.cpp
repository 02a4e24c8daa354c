#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

namespace sanduk {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

ProcessResult shell(const std::string& script, std::chrono::milliseconds timeout = 20s) {
  return run_process({{"sh", "-c", script}, {}, {}, false}, timeout);
}

bool is_running(const std::string& pid) { return kill(static_cast<pid_t>(std::stol(pid)), 0) == 0; }

// A killed process may stay a zombie for a moment.
bool ends(const std::string& pid) {
  for (int i = 0; i < 200; ++i) {
    if (!is_running(pid)) return true;
    const ProcessResult state = shell("cut -d' ' -f3 /proc/" + pid + "/stat");
    if (trim(state.output) == "Z") return true;
    usleep(10'000);
  }
  return false;
}

TEST(Process, CollectsBothStreamsAndTheCode) {
  const ProcessResult result = shell("echo out; echo err >&2; exit 7");
  EXPECT_TRUE(result.started);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(shell(":").ok());
}

TEST(Process, SaysWhyNothingStarted) {
  const ProcessResult missing = run_process({{"sanduk-no-such-program"}, {}, {}, false}, 5s);
  EXPECT_FALSE(missing.started);
  EXPECT_NE(missing.error.find("sanduk-no-such-program"), std::string::npos);
  EXPECT_NE(missing.error.find("No such file"), std::string::npos);
}

TEST(Process, TellsThatWordsAreTooLong) {
  const ProcessResult result = run_process({{"true", std::string(3 << 20, 'x')}, {}, {}, false}, 5s);
  EXPECT_FALSE(result.started);
  EXPECT_NE(result.error.find("Argument list too long"), std::string::npos) << result.error;
  const ProcessResult variable = run_process({{"true"}, {{"BIG", std::string(200 << 10, 'x')}}, {}, false}, 5s);
  EXPECT_FALSE(variable.started);
}

TEST(Process, EndsAtItsTime) {
  const Clock::time_point begin = Clock::now();
  const ProcessResult result = shell("sleep 60", 200ms);
  EXPECT_TRUE(result.timed_out);
  EXPECT_LT(Clock::now() - begin, 10s);
}

TEST(Process, EndsOneThatIgnoresTheRequest) {
  const Clock::time_point begin = Clock::now();
  const ProcessResult result = shell("trap '' TERM; echo $$; while :; do sleep 1; done", 200ms);
  EXPECT_TRUE(result.timed_out);
  EXPECT_LT(Clock::now() - begin, 15s);
  EXPECT_TRUE(ends(std::string(trim(result.output))));
}

// A child of the program holds the pipe open: neither the reading nor the child outlives the program.
TEST(Process, IsNotHeldByAChildWithThePipe) {
  const Clock::time_point begin = Clock::now();
  const ProcessResult result = shell("sleep 60 & echo $!", 30s);
  EXPECT_LT(Clock::now() - begin, 15s);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(ends(std::string(trim(result.output))));
}

TEST(Process, TakesTheWholeGroupAtATimeout) {
  const ProcessResult result = shell("sleep 60 & echo $!; wait", 300ms);
  EXPECT_TRUE(result.timed_out);
  EXPECT_TRUE(ends(std::string(trim(result.output))));
}

TEST(Process, KeepsAtMostWhatWasAskedFor) {
  const ProcessResult result = run_process({{"sh", "-c", "head -c 5000000 /dev/zero"}, {}, {}, false}, 20s, 1000);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.output.size(), 1000U);
}

TEST(Process, PassesInputThroughFullPipes) {
  const std::string input(1 << 20, 'y');
  const ProcessResult result = run_process({{"cat"}, {}, input, false}, 20s);
  EXPECT_EQ(result.output, input);
  EXPECT_TRUE(result.ok());
}

TEST(Process, OutlivesAReaderThatDoesNotRead) {
  signal(SIGPIPE, SIG_IGN);
  const ProcessResult result = run_process({{"true"}, {}, std::string(1 << 20, 'y'), false}, 20s);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_FALSE(result.timed_out);
}

TEST(Process, HasNoInputUnlessGiven) {
  const ProcessResult result = shell("cat; echo end");
  EXPECT_EQ(result.output, "end\n");
}

TEST(Process, ReplacesVariablesAndKeepsThemOutOfArgv) {
  setenv("SANDUK_TEST_VARIABLE", "old", 1);
  const ProcessResult result = run_process(
      {{"sh", "-c", "echo $SANDUK_TEST_VARIABLE; env | grep -c ^SANDUK_TEST_VARIABLE; tr '\\0' ' ' </proc/$$/cmdline"},
       {{"SANDUK_TEST_VARIABLE", "new value"}},
       {},
       false},
      20s);
  unsetenv("SANDUK_TEST_VARIABLE");
  EXPECT_TRUE(result.output.starts_with("new value\n1\n")) << result.output;
  EXPECT_EQ(result.output.find("new value", 10), std::string::npos);
}

TEST(Process, HandsOnNoOtherDescriptor) {
  const ProcessResult result = shell("ls /proc/self/fd | wc -l");
  // 0, 1, 2 and the one with which ls reads the directory.
  EXPECT_EQ(trim(result.output), "4");
}

TEST(Process, IsCancelled) {
  std::array<int, 2> ends_of_pipe{};
  ASSERT_EQ(pipe2(ends_of_pipe.data(), O_CLOEXEC), 0);
  const FileDescriptor out(ends_of_pipe[0]);
  const FileDescriptor in(ends_of_pipe[1]);
  ASSERT_TRUE(write_all(in.get(), "x"));
  const ProcessResult result = run_process({{"sleep", "60"}, {}, {}, false}, 30s, 100, out.get());
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + SIGTERM);
}

TEST(Process, GivesTheSignalAsTheShellDoes) { EXPECT_EQ(shell("kill -9 $$").exit_code, 137); }

TEST(Process, AChildDiesWithItsOwner) {
  std::string pid;
  {
    Child child = Child::start({{"sleep", "60"}, {}, {}, false});
    pid = std::to_string(child.pid());
    EXPECT_FALSE(child.poll());
    Child moved = std::move(child);
    EXPECT_EQ(std::to_string(moved.pid()), pid);
    EXPECT_TRUE(is_running(pid));
  }
  EXPECT_FALSE(is_running(pid));
}

}  // namespace
}  // namespace sanduk
