// One run on an engine that is a script, with what it told.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "engine_support.h"

namespace sanduk::test {

class Execute : public testing::Test {
 protected:
  Execute() : world_(place_), plan_(make_plan(place_)) {
    listeners_.add([this](const Event& event) {
      if (const auto* step = std::get_if<StepStarted>(&event)) steps_.push_back(step->step);
      if (const auto* note = std::get_if<Note>(&event)) notes_ += note->text + "\n";
      if (on_event_) on_event_(event);
    });
  }

  RunOutcome run() { return execute(plan_, "{\"plan\":1}", world_, listeners_); }

  // Whatever happened, nothing of the run is left but its record.
  void expect_nothing_left() {
    EXPECT_THAT(world_.containers(), testing::IsEmpty());
    EXPECT_THAT(place_.list("run"), testing::IsEmpty());
    EXPECT_THAT(place_.list("state/sanduk/live"), testing::IsEmpty());
    EXPECT_EQ(world_.record().state, RunState::ended);
  }

  std::string code(const RunOutcome& outcome) { return outcome.diagnostic ? outcome.diagnostic->code : "none"; }

  Place place_;
  FakeWorld world_;
  Plan plan_;
  EventListeners listeners_;
  std::vector<std::string> steps_;
  std::string notes_;
  std::function<void(const Event&)> on_event_;
};

}  // namespace sanduk::test
