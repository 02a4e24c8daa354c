// Whole runs on a real engine: a place of their own, a plan with a script as the agent and a recording as the provider.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "box_support.h"
#include "engine/execute.h"
#include "engine/run_record.h"

namespace sanduk::test {

// State and runtime directories of the test's own; all else is real.
class PlacedWorld : public World {
 public:
  explicit PlacedWorld(std::filesystem::path root) : root_(std::move(root)) {}
  std::optional<std::string> variable(const std::string& name) const override;

  std::string key = "sk-ant-api03-Zx81Kq0vT5nR7yWc";  // as $RUN_TEST_KEY

 private:
  std::filesystem::path root_;
};

class WholeRun {
  TemporaryDirectory root_;

 public:
  WholeRun();

  void script(const std::string& text) { plan.agent.argv = {"sh", "-c", text}; }
  // Asks the model once from inside, as an agent does: `path` on the relay.
  static std::string ask(const std::string& path = "/v1/messages");
  RunOutcome run();
  // The same in a process of its own, which is sent `signal` as soon as `when` says so of an event (`delay` later).
  // Gives its exit code, 128+N where the signal ended it.
  int run_and_signal(int signal, const std::function<bool(const Event&)>& when, std::chrono::milliseconds delay = {});

  std::filesystem::path workspace() const { return root_.path() / "work"; }
  std::filesystem::path state() const { return root_.path() / "state/sanduk"; }
  std::filesystem::path record_directory() const;
  RunRecord record() const { return *load_run_record(record_directory()); }
  // What the engine still has of this state directory's runs, one name a line.
  std::string containers();
  std::string networks();
  std::string engine(const std::vector<std::string>& arguments);
  // Everything that must not be left, in words; empty when there is nothing.
  std::string left_over();

  Plan plan;
  PlacedWorld world;
  EventListeners listeners;
};

template <class Condition>
bool eventually(Condition condition, double seconds = 20) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < until) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return condition();
}

inline bool begins(const Event& event, const std::string& step) {
  const auto* started = std::get_if<StepStarted>(&event);
  return started != nullptr && started->step == step;
}

inline bool agent_speaks(const Event& event) { return std::holds_alternative<AgentSaid>(event); }

}  // namespace sanduk::test
