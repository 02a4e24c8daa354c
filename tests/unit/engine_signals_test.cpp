// A signal at every moment of a run ends it in order, and whatever was done is undone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "engine_run.h"

namespace sanduk::test {
namespace {

struct Moment {
  std::string step;
  int signal;
  bool in_the_middle;
};

void PrintTo(const Moment& moment, std::ostream* out) {
  *out << moment.step << " " << moment.signal << (moment.in_the_middle ? " in the middle" : "");
}

// Sends a signal when `step` begins, or a little later.
class Signaller {
 public:
  Signaller(const StopPipe& stop, Moment moment) : stop_(stop), moment_(std::move(moment)) {}
  ~Signaller() {
    if (thread_.joinable()) thread_.join();
  }
  void operator()(const Event& event) {
    const auto* step = std::get_if<StepStarted>(&event);
    if (step == nullptr || step->step != moment_.step) return;
    if (!moment_.in_the_middle) return stop_.send(moment_.signal);
    thread_ = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      stop_.send(moment_.signal);
    });
  }

 private:
  const StopPipe& stop_;
  Moment moment_;
  std::thread thread_;
};

class SignalAtAStep : public Execute, public testing::WithParamInterface<Moment> {};

TEST_P(SignalAtAStep, EndsTheRunAndUndoesIt) {
  const Moment& moment = GetParam();
  const bool late = moment.step == "collect" || moment.step.starts_with("undo");
  StopPipe stop;
  world_.stop_fd = stop.fd();
  if (moment.step == "engine") world_.slow("inspect-image", "3");
  if (moment.step == "image") {
    std::filesystem::remove(place_ / "fake/image");
    plan_.image.containerfile = (place_ / "Containerfile").string();
    world_.slow("build", "60");
  }
  if (moment.step == "container") world_.slow("create", "0.5");
  if (moment.step == "undo container") world_.slow("rm", "0.5");
  world_.agent(late ? "echo hello" : "sleep 60");
  Signaller signaller(stop, moment);
  on_event_ = [&](const Event& event) { signaller(event); };

  const auto begin = std::chrono::steady_clock::now();
  const RunOutcome outcome = run();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(25));
  if (moment.step == "undo container") {
    EXPECT_EQ(outcome.exit_code, 0) << "a signal that comes while the run is undone changes nothing";
  } else {
    EXPECT_EQ(outcome.status, RunStatus::interrupted);
    EXPECT_EQ(outcome.exit_code, 128 + moment.signal);
    EXPECT_EQ(code(outcome), "interrupted");
  }
  EXPECT_EQ(world_.stop_fd, stop.fd());
  expect_nothing_left();
}

std::vector<Moment> moments() {
  std::vector<Moment> result;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    for (const char* step : {"engine", "image", "relay", "container", "agent", "collect", "undo container"}) {
      result.push_back({step, signal, false});
    }
    for (const char* step : {"engine", "image", "container", "agent", "undo container"}) {
      result.push_back({step, signal, true});
    }
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Moments, SignalAtAStep, testing::ValuesIn(moments()), [](const auto& moment) {
  return replace_all(moment.param.step, " ", "_") + "_" + std::to_string(moment.param.signal) +
         (moment.param.in_the_middle ? "_in_the_middle" : "");
});

TEST_F(Execute, ASecondAndAThirdSignalDoNotCutTheUndoShort) {
  StopPipe stop;
  world_.stop_fd = stop.fd();
  world_.agent("sleep 60");
  world_.slow("rm", "0.3");
  stop.send(SIGTERM);
  on_event_ = [&](const Event& event) {
    const auto* step = std::get_if<StepStarted>(&event);
    if (step != nullptr && step->step.starts_with("undo")) stop.send(SIGINT);
  };
  place_.write("fake/image", "1000");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code, 128 + SIGTERM);
  expect_nothing_left();
}

TEST_F(Execute, ASignalDuringCreateRemovesTheContainerThatComesAfterIt) {
  StopPipe stop;
  world_.stop_fd = stop.fd();
  // The daemon takes longer than anybody waits for its client, and makes the container all the same.
  world_.slow("create", "30");
  Signaller signaller(stop, {"container", SIGTERM, true});
  std::thread daemon;
  on_event_ = [&](const Event& event) {
    signaller(event);
    const auto* step = std::get_if<StepStarted>(&event);
    if (step == nullptr || step->step != "undo container") return;
    daemon = std::thread([this, name = world_.record().container] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      std::filesystem::create_directories(place_ / "fake/containers");
      place_.write("fake/containers/" + name, "");
    });
  };
  const RunOutcome outcome = run();
  daemon.join();
  EXPECT_EQ(outcome.exit_code, 128 + SIGTERM);
  expect_nothing_left();
}

}  // namespace
}  // namespace sanduk::test
