// Two runs in one workspace, whose boxes need the same mount points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/reap.h"
#include "engine/record.h"
#include "engine/shared_points.h"
#include "engine_run.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class SharedPoints : public Execute {
 protected:
  SharedPoints() { plan_.workspace.protected_paths = {".git/hooks"}; }

  // Another run in this workspace, by `owner`, that has laid an empty `.git` there.
  std::string other_run(const Owner& owner) {
    Record record(world_, StateDirectory{world_.state()}, plan_, "{}");
    std::filesystem::create_directory(place_ / "work/.git");
    record.update([&](RunRecord& data) {
      data.owner = owner;
      data.mount_points = {{".git", true}};
    });
    return record.run_id();
  }
};

TEST_F(SharedPoints, GoWithTheirOnlyRun) {
  world_.agent("ls -A " + (place_ / "work").string());
  const RunOutcome outcome = run();
  EXPECT_THAT(outcome.agent.text, HasSubstr(".git"));
  EXPECT_THAT(place_.list("work"), IsEmpty());
}

TEST_F(SharedPoints, GoWithTheLastRun) {
  const std::string other = other_run(this_process());
  EXPECT_EQ(run().status, RunStatus::done);
  // To the second run, `.git` was not there: an empty directory stands for it, and it was asked to be removed.
  EXPECT_THAT(place_.read("fake/words"), HasSubstr("empty-directory,target=/work/.git,readonly"));
  EXPECT_EQ(place_.list("work"), std::vector<std::string>{".git"}) << "the other run's box needs it";
  const StateDirectory state{world_.state()};
  ASSERT_TRUE(abandon(world_, state, other));
  EXPECT_THAT(place_.list("work"), IsEmpty());
}

TEST_F(SharedPoints, AreLeftToTheOtherRunWhereThatEndsLast) {
  std::string other;
  on_event_ = [&](const Event& event) {
    if (std::holds_alternative<AgentSaid>(event) && other.empty()) other = other_run(this_process());
  };
  place_.write("fake/image", "1000");
  run();
  EXPECT_EQ(place_.list("work"), std::vector<std::string>{".git"});
}

TEST_F(SharedPoints, AreTheUsersOnceTheUserHasFilledThem) {
  other_run(this_process());
  place_.write("work/.git/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(run().status, RunStatus::done);
  EXPECT_THAT(place_.read("fake/words"), testing::Not(HasSubstr("target=/work/.git,readonly")));
  EXPECT_TRUE(place_.has("work/.git/HEAD"));
}

TEST_F(SharedPoints, OfAnotherWorkspaceAreNone) {
  other_run(this_process());
  const StateDirectory state{world_.state()};
  EXPECT_EQ(points_of_others(state, "me", (place_ / "work").string()).size(), 1U);
  EXPECT_THAT(points_of_others(state, "me", "/elsewhere"), IsEmpty());
}

}  // namespace
}  // namespace sanduk::test
