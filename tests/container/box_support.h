// Real boxes for tests: an engine that answers, a stand-in for the relay on a unix socket, one run from create to
// remove.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/world.h"
#include "container/box.h"
#include "container/box_relay.h"
#include "container/covers.h"
#include "plan/plan.h"

namespace sanduk::test {

// The engine that the tests are to use: $SANDUK_TEST_ENGINE, or docker.
const PlannedEngine& test_engine();

// Whether it holds boxes to memory, processors and processes: without root, only some machines do.
bool has_limits();

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
  std::vector<std::string> faults() const {
    return check_box_report(relay->report(), expected_of(plan, names), Secret(key));
  }

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
