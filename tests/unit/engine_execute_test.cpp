// A run from its beginning to its end on an engine that is a script: what it leaves, how it ends, and that every step
// is undone wherever it fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/execute.h"
#include "engine_run.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(Execute, DoesTheStepsInOrderAndUndoesThemFromTheLast) {
  world_.agent("echo hello; echo oops >&2; echo '# Report' > " + (place_ / "work/REPORT.md").string());
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done) << (outcome.diagnostic ? outcome.diagnostic->message : "");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(steps_, (std::vector<std::string>{"engine", "image", "relay", "container", "agent", "collect",
                                              "undo container", "undo relay"}));
  const std::string name = world_.record().container;
  EXPECT_EQ(world_.calls(),
            "inspect-image \nps \nnetwork \ncreate " + name + "\nstart " + name + "\nrm " + name + "\n");
  expect_nothing_left();
}

TEST_F(Execute, RunsNoImageButTheOneThatIsPinned) {
  plan_.image.pins = {{"podman", "sha256:9"}, {"docker", "sha256:0123"}};
  EXPECT_EQ(run().status, RunStatus::done);
}

TEST_F(Execute, AnImageThatIsPinnedAndAnotherNowIsNamedWithBothDigests) {
  plan_.image.pins = {{"docker", "sha256:9"}};
  const RunOutcome outcome = run();
  EXPECT_EQ(code(outcome), "image-drift");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.diagnostic->notes, testing::ElementsAre("pinned: sha256:9", "there:  sha256:0123"));
  EXPECT_THAT(world_.calls(), Not(HasSubstr("create")));
  expect_nothing_left();
}

TEST_F(Execute, AnImageThatIsPinnedForAnotherEngineIsNotRun) {
  plan_.image.pins = {{"podman", "sha256:0123"}};
  const RunOutcome outcome = run();
  EXPECT_EQ(code(outcome), "image-drift");
  EXPECT_THAT(outcome.diagnostic->message, HasSubstr("is pinned for another engine than docker"));
}

// What is printed before the self-test is no self-test: nothing of the judge's command has run then.
TEST_F(Execute, TheJudgesBoxThatTellsNoSelfTestIsBroken) {
  plan_.verify = PlannedVerify{{"sh", "-c", "true"}, 5};
  world_.agent("echo hello");
  const RunOutcome outcome = run();
  EXPECT_EQ(code(outcome), "box-broken");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.verify_box_held, false);
  EXPECT_FALSE(outcome.verify_code);
  expect_nothing_left();
}

TEST_F(Execute, TakesTheFirstEngineThatAnswers) {
  plan_.engines = {engine_named("podman"), engine_named("docker")};
  EXPECT_EQ(run().status, RunStatus::done);
  EXPECT_EQ(world_.record().engine.name, "docker");
}

TEST_F(Execute, WhereNoEngineAnswersSaysWhatThereIsOfEach) {
  plan_.engines = {engine_named("podman"), engine_named("docker")};
  world_.fail("inspect-image", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.");
  const RunOutcome outcome = run();
  EXPECT_EQ(code(outcome), "engine-stopped") << "a stopped engine says more than a missing one";
  EXPECT_THAT(outcome.diagnostic->notes, testing::Contains("also tried: `podman` is not installed"));
}

TEST_F(Execute, WaitsForAnEngineThatIsBeingRestarted) {
  std::thread daemon;
  on_event_ = [&](const Event& event) {
    const auto* step = std::get_if<StepStarted>(&event);
    if (step == nullptr || step->step != "undo container") return;
    world_.fail("rm", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.");
    daemon = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      world_.well_again("rm");
    });
  };
  EXPECT_EQ(run().status, RunStatus::done);
  daemon.join();
  expect_nothing_left();
}

TEST_F(Execute, AnEngineThatGoesAwayWhileTheAgentWorksIsSaid) {
  world_.agent("echo up; sleep 0.3; exit 1");
  on_event_ = [&](const Event& event) {
    if (std::holds_alternative<AgentSaid>(event)) world_.fail("inspect", "Cannot connect to the Docker daemon");
  };
  const RunOutcome outcome = run();
  EXPECT_EQ(code(outcome), "container-failed");
  EXPECT_EQ(outcome.exit_code, 3);
  expect_nothing_left();
}

TEST_F(Execute, AListenerThatThrowsChangesNothing) {
  on_event_ = [](const Event&) { throw std::runtime_error("the display is gone"); };
  EXPECT_EQ(run().status, RunStatus::done);
  expect_nothing_left();
}

TEST_F(Execute, AFaultOfOursIsSaidAsOne) {
  class Broken : public FakeWorld {
   public:
    using FakeWorld::FakeWorld;
    Child start(const Command& command) override {
      if (command.argv.at(1) == "start") throw std::runtime_error("a bug");
      return FakeWorld::start(command);
    }
  };
  Broken world(place_);
  const RunOutcome outcome = execute(plan_, "{}", world, listeners_);
  EXPECT_EQ(outcome.exit_code, 70);
  EXPECT_EQ(code(outcome), "internal-error");
  expect_nothing_left();
}

TEST_F(Execute, ARunDirectoryThatCannotBeMadeIsSaid) {
  world_.variables["XDG_RUNTIME_DIR"] = "/proc/" + std::to_string(getpid());
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(code(outcome), "run-directory");
  EXPECT_EQ(world_.calls(), "");
  EXPECT_THAT(place_.list("state/sanduk/live"), IsEmpty());
}

TEST_F(Execute, LeavesARecord) {
  world_.agent("echo hello; echo oops >&2; echo '# Report' > " + (place_ / "work/REPORT.md").string());
  const RunOutcome outcome = run();
  const std::filesystem::path record = world_.record_directory();
  EXPECT_EQ(outcome.record_directory, record.string());
  EXPECT_EQ(outcome.report_file, (record / "report/REPORT.md").string());
  EXPECT_EQ(*read_file(record / "report/REPORT.md", 100), "# Report\n");
  EXPECT_EQ(*read_file(record / "agent.out", 100), "hello\n");
  EXPECT_EQ(*read_file(record / "agent.err", 100), "oops\n");
  EXPECT_EQ(*read_file(record / "plan.json", 100), "{\"plan\":1}");
  EXPECT_THAT(*read_file(record / "events.jsonl", 100000), HasSubstr("\"kind\":\"step-ended\",\"step\":\"container\""));
  struct stat status {};
  ASSERT_EQ(stat(record.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  const RunRecord data = world_.record();
  EXPECT_EQ(data.run_id, outcome.run_id);
  EXPECT_EQ(data.status, "done");
  EXPECT_EQ(data.exit_code, 0);
  EXPECT_EQ(data.plan_digest, "sha256:4c8d160f557bad43dc6f9f118ee0a5ce4ea9bd11b125287e4ab962350bd73cae");
  EXPECT_EQ(data.engine.name, "docker");
  EXPECT_EQ(data.report, "report/REPORT.md");
  EXPECT_FALSE(data.steps.empty());
}

TEST_F(Execute, RecordsWhatItOwnsBeforeItMakesIt) {
  // The engine's `create` itself looks at the record.
  world_.after("create", "cp " + (place_ / "state/sanduk/runs").string() + "/*/run.json \"$FAKE/seen\"");
  run();
  const std::optional<RunRecord> seen = read_run_record(place_.read("fake/seen"));
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->state, RunState::preparing);
  EXPECT_EQ(seen->engine.name, "docker");
  EXPECT_TRUE(seen->container_requested);
  EXPECT_FALSE(seen->container_settled);
  EXPECT_FALSE(seen->run_directory.empty());
  EXPECT_EQ(seen->owner, this_process());
}

TEST_F(Execute, GoesThroughItsStates) {
  std::vector<std::string> states;
  on_event_ = [&](const Event& event) {
    const auto* step = std::get_if<StepStarted>(&event);
    const auto* ended = std::get_if<StepEnded>(&event);
    if (step != nullptr || ended != nullptr) {
      const std::string state = state_word(world_.record().state);
      if (states.empty() || states.back() != state) states.push_back(state);
    }
  };
  run();
  EXPECT_EQ(states, (std::vector<std::string>{"preparing", "running", "collecting", "undoing"}));
  EXPECT_EQ(world_.record().state, RunState::ended);
}

TEST_F(Execute, ReadsAKeyThatNeverReachesTheRecordOrTheEngineArguments) {
  plan_.relay.key_source = "env:TEST_KEY";
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done);
  const std::string key = world_.variables.at("TEST_KEY");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place_ / "state")) {
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(*read_file(entry.path(), 1 << 20), Not(HasSubstr(key))) << entry.path();
  }
  EXPECT_THAT(place_.read("fake/words"), Not(HasSubstr(key)));
}

struct Fault {
  std::string name;
  std::function<void(FakeWorld&, Plan&, const Place&)> cause;
  std::string code;
  int exit_code;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class FaultAtAStep : public Execute, public testing::WithParamInterface<Fault> {};

TEST_P(FaultAtAStep, IsSaidAndUndone) {
  GetParam().cause(world_, plan_, place_);
  const RunOutcome outcome = run();
  EXPECT_EQ(code(outcome), GetParam().code) << (outcome.diagnostic ? outcome.diagnostic->message : "");
  EXPECT_EQ(outcome.exit_code, GetParam().exit_code);
  EXPECT_EQ(world_.record().exit_code, GetParam().exit_code);
  ASSERT_TRUE(world_.record().reason);
  EXPECT_EQ(world_.record().reason->code, GetParam().code);
  expect_nothing_left();
}

const std::vector<Fault> faults = {
    {"EngineMissing", [](FakeWorld&, Plan& plan, const Place&) { plan.engines = {engine_named("podman")}; },
     "engine-missing", 3},
    {"EngineStopped",
     [](FakeWorld& world, Plan&, const Place&) {
       world.fail("inspect-image", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.");
     },
     "engine-stopped", 3},
    {"EngineStoppedInTheWordsOfANewerClient",
     [](FakeWorld& world, Plan&, const Place&) {
       world.fail("inspect-image", "failed to connect to the docker API: dial unix /x.sock: no such file or directory");
     },
     "engine-stopped", 3},
    {"EngineDenied",
     [](FakeWorld& world, Plan&, const Place&) {
       world.fail("inspect-image", "permission denied while trying to connect to the Docker daemon socket");
     },
     "engine-denied", 3},
    {"KeyMissing", [](FakeWorld&, Plan& plan, const Place&) { plan.relay.key_source = "env:NO_SUCH_KEY"; },
     "missing-key", 3},
    {"ImageMissing", [](FakeWorld&, Plan&, const Place& place) { std::filesystem::remove(place / "fake/image"); },
     "image-missing", 3},
    {"ImageBuildFails",
     [](FakeWorld& world, Plan& plan, const Place& place) {
       std::filesystem::remove(place / "fake/image");
       plan.image.containerfile = (place / "Containerfile").string();
       world.fail("build", "the disk is full");
     },
     "image-build-failed", 3},
    {"ImageOfAnotherUser", [](FakeWorld&, Plan&, const Place& place) { place.write("fake/image", "1001"); },
     "image-uid", 3},
    {"CreateFails", [](FakeWorld& world, Plan&, const Place&) { world.fail("create", "invalid mount"); },
     "container-failed", 3},
    {"StartFails", [](FakeWorld& world, Plan&, const Place&) { world.fail("start", "OCI runtime failed"); },
     "container-failed", 3},
    {"NoReader", [](FakeWorld&, Plan& plan, const Place&) { plan.agent.reader = "nosuch"; }, "unknown-reader", 2},
    {"AgentFails", [](FakeWorld& world, Plan&, const Place&) { world.agent("exit 7"); }, "agent-failed", 7},
    {"OutOfMemory",
     [](FakeWorld& world, Plan&, const Place& place) {
       place.write("fake/oom", "");
       world.agent("exit 137");
     },
     "out-of-memory", 137},
    {"BoxBroken",
     [](FakeWorld& world, Plan&, const Place&) { world.agent("echo 'sanduk box: a route' >&2; exit 125"); },
     "box-broken", 3},
    {"NoFinalResult", [](FakeWorld&, Plan& plan, const Place&) { plan.agent.reader = "claude-stream-json"; },
     "no-final-result", 1},
    {"AgentIsTooSlow",
     [](FakeWorld& world, Plan& plan, const Place&) {
       plan.limits.timeout_seconds = 1;
       world.agent("sleep 60");
     },
     "timed-out", 124},
};

INSTANTIATE_TEST_SUITE_P(Faults, FaultAtAStep, testing::ValuesIn(faults),
                         [](const auto& fault) { return fault.param.name; });

TEST_F(Execute, SaysTheWholeOfABuildsOutput) {
  std::filesystem::remove(place_ / "fake/image");
  plan_.image.containerfile = (place_ / "Containerfile").string();
  world_.fail("build", "the disk is full\n");
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.diagnostic);
  EXPECT_THAT(outcome.diagnostic->notes, testing::Contains("the disk is full"));
  EXPECT_EQ(*read_file(world_.record_directory() / "build.log", 1000), "the disk is full\n");
}

TEST_F(Execute, BuildsTheBuiltInImageFromAnEmptyContext) {
  std::filesystem::remove(place_ / "fake/image");
  plan_.image.containerfile = "builtin:claude";
  plan_.image.build_arguments = {{"AGENT_UID", "1000"}};
  world_.after("build", "for last; do :; done; ls -A \"$last\" | wc -l > \"$FAKE/context\"");
  EXPECT_EQ(run().status, RunStatus::done);
  EXPECT_THAT(place_.read("fake/words"), HasSubstr("--build-arg AGENT_UID=1000"));
  EXPECT_EQ(std::string(trim(place_.read("fake/context"))), "0");
  expect_nothing_left();
}

TEST_F(Execute, CollectsTheReportOfARunThatWasTooSlow) {
  plan_.limits.timeout_seconds = 1;
  world_.agent("echo '# Half' > " + (place_ / "work/REPORT.md").string() + "; sleep 60");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::timed_out);
  EXPECT_FALSE(outcome.report_file.empty());
  expect_nothing_left();
}

TEST_F(Execute, TheWatchdogNeedsNoOutputAndAFloodDoesNotHoldIt) {
  plan_.limits.timeout_seconds = 1;
  world_.agent("yes");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run().exit_code, 124);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(120));
  EXPECT_LE(std::filesystem::file_size(world_.record_directory() / "agent.out"), (64U << 20) + 100);
  expect_nothing_left();
}

TEST_F(Execute, AProcessThatHoldsThePipesDoesNotHoldTheRun) {
  // It keeps the agent's output open, but it is not the agent.
  world_.agent("setsid sleep 30 & echo hello");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run().status, RunStatus::done);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(25));
}

TEST_F(Execute, SurvivesLongLinesAndBytesThatAreNotText) {
  world_.agent("head -c 10000000 /dev/zero | tr '\\0' x; printf '\\377\\376\\033]0;x\\007\\n'");
  EXPECT_EQ(run().status, RunStatus::done);
  EXPECT_EQ(std::filesystem::file_size(world_.record_directory() / "agent.out"), 10000000 + 9U);
}

TEST_F(Execute, AnOldReportIsNotThisRunsAndStays) {
  place_.write("work/REPORT.md", "old\n");
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done);
  EXPECT_EQ(outcome.report_file, "");
  EXPECT_THAT(notes_, HasSubstr("report-missing"));
  EXPECT_EQ(place_.read("work/REPORT.md"), "old\n");
}

TEST_F(Execute, KeepsTheContainerWhereThePlanSaysSo) {
  plan_.keep = true;
  EXPECT_EQ(run().status, RunStatus::done);
  EXPECT_EQ(world_.containers().size(), 1U);
  EXPECT_THAT(place_.list("state/sanduk/live"), IsEmpty());
}

TEST_F(Execute, WhatCouldNotBeRemovedStaysOwned) {
  world_.after("start", "rm -rf \"$FAKE/fail-rm\"; echo 'device busy' > \"$FAKE/fail-rm\"");
  // The engine refuses to remove; nobody waits half a minute here for it to think better of it.
  on_event_ = [&](const Event& event) {
    const auto* step = std::get_if<StepStarted>(&event);
    if (step != nullptr && step->step == "undo container") std::filesystem::remove(place_ / "fake/docker");
  };
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.status, RunStatus::done);
  EXPECT_EQ(world_.record().state, RunState::undoing);
  EXPECT_EQ(world_.record().status, "done");
  EXPECT_EQ(place_.list("state/sanduk/live").size(), 1U);
  EXPECT_THAT(notes_, HasSubstr("did not remove the container"));
}

}  // namespace
}  // namespace sanduk::test
