// What dead owners left, and the watcher that outlives one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/secret.h"
#include "engine/reap.h"
#include "engine/record.h"
#include "engine/run_directory.h"
#include "engine_support.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Reap : public testing::Test {
 protected:
  Reap() : world_(place_), state_{world_.state()} {}

  // A run as its owner left it in the middle of its work.
  std::string leave_run(const Owner& owner, RunState run_state = RunState::running) {
    Record record(world_, state_, make_plan(place_), "{}");
    const std::filesystem::path directory = place_ / ("run/" + record.data().container);
    make_run_directory(directory);
    std::filesystem::create_directory(place_ / "work/.git");
    std::filesystem::create_directories(place_ / "fake/containers");
    place_.write("fake/containers/" + record.data().container, "");
    record.update([&](RunRecord& data) {
      data.owner = owner;
      data.state = run_state;
      data.engine = engine_named("docker");
      data.container_requested = true;
      data.container_settled = true;
      data.run_directory = directory.string();
      data.mount_points = {{".git", true}};
    });
    return record.run_id();
  }

  RunRecord record_of(const std::string& run_id) { return *load_run_record(state_.run(run_id)); }

  static constexpr std::int64_t nobody = 999999999;
  Place place_;
  FakeWorld world_;
  StateDirectory state_;
};

TEST_F(Reap, CleansUpAfterADeadOwner) {
  const std::string run_id = leave_run({nobody, "1"});
  const std::vector<std::string> words = reap_dead_runs(world_, state_);
  ASSERT_EQ(words.size(), 1U);
  EXPECT_THAT(words[0], HasSubstr("cleaned up after run " + run_id));
  EXPECT_THAT(world_.containers(), IsEmpty());
  EXPECT_THAT(place_.list("run"), IsEmpty());
  EXPECT_THAT(place_.list("work"), IsEmpty());
  EXPECT_THAT(place_.list("state/sanduk/live"), IsEmpty());
  EXPECT_EQ(record_of(run_id).state, RunState::abandoned);
  EXPECT_EQ(record_of(run_id).status, "abandoned");
  EXPECT_THAT(reap_dead_runs(world_, state_), IsEmpty()) << "once is enough";
}

TEST_F(Reap, NeverTouchesALiveOwner) {
  const std::string run_id = leave_run(this_process());
  EXPECT_THAT(reap_dead_runs(world_, state_), IsEmpty());
  EXPECT_EQ(world_.containers().size(), 1U);
  EXPECT_EQ(place_.list("run").size(), 1U);
  EXPECT_EQ(record_of(run_id).state, RunState::running);
  EXPECT_EQ(world_.calls(), "") << "nor asks the engine";
}

TEST_F(Reap, TriesAgainWhereTheEngineDoesNotAnswer) {
  const std::string run_id = leave_run({nobody, "1"});
  std::filesystem::rename(place_ / "fake/docker", place_ / "fake/away");
  EXPECT_THAT(reap_dead_runs(world_, state_).at(0), HasSubstr("could not clean up"));
  EXPECT_EQ(record_of(run_id).state, RunState::running) << "still somebody's to remove";
  std::filesystem::rename(place_ / "fake/away", place_ / "fake/docker");
  EXPECT_THAT(reap_dead_runs(world_, state_).at(0), HasSubstr("cleaned up"));
}

TEST_F(Reap, KeepsTheWordsOfARunThatOnlyCouldNotRemoveSomething) {
  const std::string run_id = leave_run({nobody, "1"}, RunState::undoing);
  RunRecord record = record_of(run_id);
  record.status = "done";
  record.exit_code = 0;
  ASSERT_FALSE(store_run_record(state_.run(run_id), record));
  reap_dead_runs(world_, state_);
  EXPECT_EQ(record_of(run_id).state, RunState::ended);
  EXPECT_EQ(record_of(run_id).status, "done");
  EXPECT_THAT(world_.containers(), IsEmpty());
}

TEST_F(Reap, ForgetsAMarkWithoutARecord) {
  const std::string run_id = leave_run({nobody, "1"});
  std::filesystem::remove_all(state_.run(run_id));
  EXPECT_THAT(reap_dead_runs(world_, state_), IsEmpty());
  EXPECT_THAT(place_.list("state/sanduk/live"), IsEmpty());
}

TEST_F(Reap, HappensBeforeEveryRun) {
  const std::string run_id = leave_run({nobody, "1"});
  EXPECT_EQ(execute(make_plan(place_), "{}", world_, {}).status, RunStatus::done);
  EXPECT_EQ(record_of(run_id).state, RunState::abandoned);
  EXPECT_THAT(world_.containers(), IsEmpty());
}

TEST_F(Reap, ByLabelsFindsWhatHasNoRecord) {
  const auto line = [&](const std::string& name, const Owner& owner, const std::string& state) {
    place_.write("fake/containers/" + name, "");
    return name + "\trunning\t" + name + "\t" + std::to_string(owner.pid) + "\t" + owner.start_time + "\t" + state +
           "\n";
  };
  std::filesystem::create_directories(place_ / "fake/containers");
  place_.write("fake/ps", line("sanduk-00000000000a", {nobody, "1"}, state_.root) +
                              line("sanduk-00000000000b", this_process(), state_.root) +
                              line("sanduk-00000000000c", {nobody, "1"}, "/home/somebody/else"));
  EXPECT_EQ(reap_by_labels(world_, state_, engine_named("docker")).size(), 1U);
  EXPECT_THAT(world_.containers(), testing::UnorderedElementsAre("sanduk-00000000000b", "sanduk-00000000000c"));
}

TEST_F(Reap, ByLabelsLeavesWhatWasKeptOnPurpose) {
  Plan plan = make_plan(place_);
  plan.keep = true;
  ASSERT_EQ(execute(plan, "{}", world_, {}).status, RunStatus::done);
  const std::string name = world_.containers().at(0);
  place_.write("fake/ps", name + "\texited\t" + name + "\t999999999\t1\t" + state_.root.string() + "\n");
  EXPECT_THAT(reap_by_labels(world_, state_, engine_named("docker")), IsEmpty());
  EXPECT_EQ(world_.containers().size(), 1U);
}

TEST_F(Reap, AFailingListIsSaidAndIsNotAnEmptyOne) {
  world_.fail("ps", "the daemon is on holiday");
  EXPECT_THAT(reap_by_labels(world_, state_, engine_named("docker")).at(0), HasSubstr("on holiday"));
  world_.well_again("ps");
  place_.write("fake/ps", "what is this\n");
  EXPECT_EQ(reap_by_labels(world_, state_, engine_named("docker")).size(), 1U);
}

// ---------------------------------------------------------------------------------------------------------------------

class Watched : public Reap, public testing::WithParamInterface<std::string> {
 protected:
  // Runs in a process of its own and kills it when `step` begins.
  pid_t run_and_kill(const std::string& step) {
    const pid_t child = fork();
    if (child == 0) {
      EventListeners listeners;
      listeners.add([&](const Event& event) {
        const auto* started = std::get_if<StepStarted>(&event);
        const bool now =
            started != nullptr ? started->step == step : step == "speech" && std::holds_alternative<AgentSaid>(event);
        if (now) raise(SIGKILL);
      });
      execute(make_plan(place_), "{}", world_, listeners);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    return child;
  }
};

TEST_P(Watched, RunIsCleanedUpAfterItsOwnerWasKilled) {
  world_.agent(GetParam() == "agent" || GetParam() == "speech" ? "echo up; sleep 60" : "echo up");
  run_and_kill(GetParam());
  EXPECT_TRUE(eventually([&] { return world_.record().state == RunState::abandoned; }));
  EXPECT_TRUE(eventually([&] { return place_.list("state/sanduk/live").empty(); }));
  EXPECT_THAT(world_.containers(), IsEmpty());
  EXPECT_THAT(place_.list("run"), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Kill, Watched,
                         testing::Values("engine", "image", "relay", "container", "agent", "speech", "collect",
                                         "undo container", "undo relay"),
                         [](const auto& step) { return replace_all(step.param, " ", "_"); });

TEST_F(Reap, TheWatcherHoldsNoKeyAndNoStream) {
  const std::string key = "sk-test-" + random_hex(12);
  setenv("SANDUK_WATCHER_TEST_KEY", key.c_str(), 1);
  world_.variables["SANDUK_WATCHER_TEST_KEY"] = key;
  world_.agent("echo up; sleep 60");
  Plan plan = make_plan(place_);
  plan.relay.key_source = "env:SANDUK_WATCHER_TEST_KEY";
  StopPipe stop;
  world_.stop_fd = stop.fd();
  std::string environment = "not looked at";
  std::vector<std::string> open_files;
  EventListeners listeners;
  listeners.add([&](const Event& event) {
    if (!std::holds_alternative<AgentSaid>(event) || !open_files.empty()) return;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      FileResult<std::string> name = read_file(entry.path() / "comm", 100);
      FileResult<std::string> stat = read_file(entry.path() / "stat", 1000);
      if (!name || trim(*name) != "sanduk-watch" || !stat) continue;
      const std::vector<std::string> fields = split(stat->substr(stat->rfind(')') + 2), ' ');
      if (fields.at(1) != std::to_string(getpid())) continue;
      FileResult<std::string> variables = read_file(entry.path() / "environ", 1 << 20);
      if (!variables || variables->empty()) continue;  // of an earlier run, ended
      environment = *variables;
      std::error_code error;
      for (const auto& fd : std::filesystem::directory_iterator(entry.path() / "fd", error)) {
        open_files.push_back(std::filesystem::read_symlink(fd.path(), error).string());
      }
    }
    stop.send(SIGTERM);
  });
  const RunOutcome outcome = execute(plan, "{}", world_, listeners);
  unsetenv("SANDUK_WATCHER_TEST_KEY");
  EXPECT_EQ(outcome.status, RunStatus::interrupted) << (outcome.diagnostic ? outcome.diagnostic->message : "");
  ASSERT_NE(environment, "not looked at");
  EXPECT_EQ(environment.find(key), std::string::npos);
  EXPECT_EQ(open_files.size(), 4U) << join(open_files, " ");
}

}  // namespace
}  // namespace sanduk::test
