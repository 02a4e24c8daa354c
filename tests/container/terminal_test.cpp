// `sanduk shell` and `sanduk attach` as somebody who types has them: on a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "base/text.h"
#include "run_support.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A program on a terminal of its own.
class OnTerminal {
 public:
  explicit OnTerminal(const Command& command) {
    pid_ = forkpty(&fd_, nullptr, nullptr, nullptr);
    if (pid_ != 0) return;
    for (const auto& [name, value] : command.variables) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> argv;
    for (const std::string& word : command.argv) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  ~OnTerminal() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(fd_);
  }

  void type(const std::string& text) const { EXPECT_TRUE(write_all(fd_, text)); }

  bool shows(const std::string& words, int seconds = 60) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (screen.find(words) == std::string::npos && std::chrono::steady_clock::now() < until) {
      if (!read_some()) break;
    }
    return screen.find(words) != std::string::npos;
  }

  // -1 when it does not end within a minute.
  int wait() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < until) {
      int status = 0;
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      // A program that has left its terminal may take a while to end.
      if (!read_some()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return -1;
  }

  std::string screen;

 private:
  // False at the end.
  bool read_some() {
    pollfd wait{fd_, POLLIN, 0};
    if (poll(&wait, 1, 100) <= 0) return true;
    char bytes[4096];
    const ssize_t got = read(fd_, bytes, sizeof bytes);
    if (got > 0) screen.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
  }

  int fd_ = -1;
  pid_t pid_ = -1;
};

class Terminal : public testing::Test, protected WholeRun {
 protected:
  void SetUp() override { SANDUK_NEEDS_BOXES(); }
  void profile(const std::string& script) {
    std::ofstream(root() / "p.toml") << "[provider]\nname = \"replay\"\ncassette = \"cassette.jsonl\"\n"
                                     << "[agent]\nname = \"command\"\ncommand = [\"sh\", \"-c\", \"" << script
                                     << "\"]\n"
                                     << "[image]\nref = \"" << plan.image.ref << "\"\n[engine]\nname = \""
                                     << test_engine().name << "\"\n[caps]\nmemory = \"256M\"\ncpus = 1\n"
                                     << "[workspace]\npath = \"work\"\n";
  }
  std::filesystem::path root() const { return workspace().parent_path(); }
  Command tool(std::vector<std::string> words) const {
    const char* other = std::getenv("SANDUK_TEST_TOOL");
    words.insert(words.begin(), other == nullptr ? SANDUK_BINARY : other);
    return {.argv = std::move(words),
            .variables = {{"XDG_STATE_HOME", (root() / "state").string()},
                          {"XDG_CONFIG_HOME", (root() / "no").string()},
                          {"TERM", "xterm"}},
            .input = {}};
  }
};

TEST_F(Terminal, AShellIsTypedIntoAndItsCodeComesBack) {
  profile("true");
  OnTerminal shell(tool({"shell", (root() / "p.toml").string()}));
  ASSERT_TRUE(shell.shows("$")) << shell.screen;
  shell.type("echo user-$(id -u); tty; exit 3\r");
  EXPECT_EQ(shell.wait(), 3) << shell.screen;
  EXPECT_THAT(shell.screen, HasSubstr("user-" + std::to_string(plan.user.uid)));
  EXPECT_THAT(shell.screen, HasSubstr("/dev/pts/"));
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(Terminal, WatchingEndsWithControlCAndTheRunGoesOn) {
  profile("while :; do echo tick; sleep 0.2; done");
  Child run = Child::start(tool({"apply", (root() / "p.toml").string()}));
  ASSERT_TRUE(eventually(
      [&] {
        return run_process(tool({"logs", "last"}), std::chrono::seconds(20)).output.find("tick") == 0;
      },
      60));
  OnTerminal watching(tool({"attach", "last", "--runtime", test_engine().name}));
  EXPECT_TRUE(watching.shows("tick")) << watching.screen;
  watching.type("\x03");
  EXPECT_NE(watching.wait(), -1) << watching.screen;
  EXPECT_FALSE(run.poll()) << "the run was not to end";
  run.signal_group(SIGTERM);
  EXPECT_EQ(run.wait_for(std::chrono::seconds(60)), 128 + SIGTERM);
  EXPECT_THAT(left_over(), IsEmpty());
}

}  // namespace
}  // namespace sanduk::test
