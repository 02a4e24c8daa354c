// Real boxes for tests: an engine that answers, a stand-in for the relay on a unix socket, one run from create to
// remove.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/world.h"
#include "container/box.h"
#include "container/covers.h"
#include "plan/plan.h"

namespace sanduk::test {

// Empty when boxes can be made here; else why not.
std::string why_no_boxes();

// Skips where there is no engine; in CI, where there must be one, fails.
#define SANDUK_NEEDS_BOXES()                                                  \
  do {                                                                        \
    if (const std::string why = sanduk::test::why_no_boxes(); !why.empty()) { \
      if (std::getenv("CI") != nullptr) FAIL() << why;                        \
      GTEST_SKIP() << why;                                                    \
    }                                                                         \
  } while (false)

// A directory of its own, removed with its owner.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Answers on a unix socket: the box's report as the test says, all else by `serve`.
class StandInRelay {
 public:
  // Gets a connection after the head of its first request was read, with that head and what came after it.
  using Serve = std::function<void(int fd, const std::string& head, const std::string& rest)>;

  explicit StandInRelay(const std::filesystem::path& socket, int backlog = 128);
  ~StandInRelay();
  StandInRelay(const StandInRelay&) = delete;
  StandInRelay& operator=(const StandInRelay&) = delete;

  Serve serve;
  int report_status = 200;
  std::string report_answer = "{}";

  std::string report() const;
  std::string report_head() const;

 private:
  void accept_all();
  void take(int fd);
  void take_report(int fd, const std::string& head, std::string body);

  int listener_ = -1;
  mutable std::mutex mutex_;
  std::string report_;
  std::string report_head_;
  std::vector<std::thread> threads_;
  std::vector<int> open_;
  std::atomic<bool> stopping_ = false;
  std::thread acceptor_;
};

bool send_text(int fd, std::string_view text);
// What has come within `milliseconds`, at most one read; nothing at the end or on a time-out.
std::string receive_some(int fd, int milliseconds = 10000);

// One box on a plan that a test can change before `run`.
class BoxRun {
 public:
  BoxRun();
  ~BoxRun();

  // The agent is a shell script, or any argv.
  void script(const std::string& text) { plan.agent.argv = {"sh", "-c", text}; }
  // Makes mount points, creates, starts, waits, removes, removes mount points.
  ProcessResult run();
  // Parts of it, for tests that do something in between.
  ProcessResult create();
  ProcessResult engine(const std::vector<std::string>& arguments);
  void remove();

  std::filesystem::path workspace() const { return root_.path() / "work"; }
  void write(const std::string& relative, const std::string& text) const;
  std::string read(const std::string& relative) const;
  // All paths below the workspace, sorted, one a line.
  std::string tree() const;
  std::vector<std::string> faults() const { return check_box_report(relay->report(), plan, Secret(key)); }

  Plan plan;
  BoxNames names;
  World world;
  std::string token = "run-token-0123456789";
  std::string key = "sk-ant-api03-Zx81Kq0vT5nR7yWc";
  std::unique_ptr<StandInRelay> relay;

 private:
  TemporaryDirectory root_;
  std::vector<MountPoint> made_;
  bool created_ = false;
};

}  // namespace sanduk::test
