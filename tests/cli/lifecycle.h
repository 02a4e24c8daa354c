// A profile, an engine that is a script, and the real program run on both.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/process.h"
#include "support/scratch.h"
#include "unit/engine_fake.h"

namespace sanduk::test {

class Lifecycle : public testing::Test {
 protected:
  Lifecycle() {
    chmod(scratch_.write("fake/docker", fake_engine).c_str(), 0755);
    scratch_.write("fake/image", "x\n");
    // Of the machine's own engines none is asked.
    scratch_.write("home/.config/sanduk/engines/podman.toml",
                   "name = \"podman\"\nsummary = \"none here\"\nprogram = \"no-such-podman\"\nplatforms = []\n"
                   "service.ready = [\"info\"]\n");
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

}  // namespace sanduk::test
