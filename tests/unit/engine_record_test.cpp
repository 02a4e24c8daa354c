// run.json there and back, and the files beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/ending.h"
#include "engine/record.h"
#include "engine_support.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;

RunRecord full_record() {
  RunRecord record;
  record.run_id = "20260102-030405-0123456789ab";
  record.plan_name = "review";
  record.plan_digest = "sha256:00";
  record.state = RunState::collecting;
  record.owner = {42, "4711"};
  record.started = "2026-01-02T03:04:05.000Z";
  record.ended = "2026-01-02T03:05:05.000Z";
  record.seconds = 60.5;
  record.engine = engine_named("docker");
  record.container = "sanduk-0123456789ab";
  record.container_requested = true;
  record.container_settled = true;
  record.run_directory = "/run/user/1000/sanduk-0123456789ab";
  record.workspace = "/home/me/work";
  record.mount_points = {{".git", true}, {".envrc", false}};
  record.image = "sanduk-claude:1";
  record.status = "agent-failed";
  record.exit_code = 7;
  record.reason = error("agent-failed", "it ended with exit code 7");
  record.reason->note("first").note("second").with_help("do better");
  record.steps = {{"image", 0.25, ""}, {"agent", 3, "no"}};
  record.relay.calls = 3;
  record.relay.refused = 1;
  record.relay.without_usage = 2;
  record.relay.usage = {.in = 1, .cache_write = {}, .cache_read = 3, .out = 4, .cost_usd = 0.5, .total = 8};
  record.agent.final_record = true;
  record.agent.failed = true;
  record.agent.text = "no \"luck\"\n";
  record.agent.model = "m";
  record.agent.turns = 2;
  record.agent.output_tokens = 9;
  record.report = "report/REPORT.md";
  record.notes = {"a note"};
  return record;
}

TEST(RunRecord, ComesBackAsItWas) {
  const std::string json = run_record_json(full_record());
  const std::optional<RunRecord> read = read_run_record(json);
  ASSERT_TRUE(read);
  // Everything is written, so equal text is equal data.
  EXPECT_EQ(run_record_json(*read), json);
  EXPECT_EQ(read->owner, full_record().owner);
  EXPECT_EQ(read->mount_points, full_record().mount_points);
  EXPECT_EQ(read->reason->notes.size(), 2U);
  EXPECT_FALSE(read->relay.usage.cache_write) << "absent is not zero";
}

TEST(RunRecord, WhatIsNotOneIsRefused) {
  const std::string good = run_record_json(full_record());
  EXPECT_FALSE(read_run_record(""));
  EXPECT_FALSE(read_run_record("[]"));
  EXPECT_FALSE(read_run_record("{}"));
  EXPECT_FALSE(read_run_record(good.substr(0, good.size() / 2)));
  EXPECT_FALSE(read_run_record(replace_all(good, "\"version\": 1", "\"version\": 2")));
  EXPECT_FALSE(read_run_record(replace_all(good, "\"collecting\"", "\"sleeping\"")));
  EXPECT_FALSE(read_run_record(replace_all(good, "\"20260102-030405-0123456789ab\"", "7")));
}

TEST(RunRecord, EveryStateHasItsWord) {
  for (const RunState state : {RunState::preparing, RunState::running, RunState::collecting, RunState::undoing,
                               RunState::ended, RunState::abandoned}) {
    RunRecord record = full_record();
    record.state = state;
    EXPECT_EQ(read_run_record(run_record_json(record))->state, state);
  }
}

class RecordFiles : public testing::Test {
 protected:
  RecordFiles() : world_(place_), state_{world_.state()} {}
  Place place_;
  FakeWorld world_;
  StateDirectory state_;
};

TEST_F(RecordFiles, ARunIsLiveUntilItsRecordIsClosed) {
  Record record(world_, state_, make_plan(place_), "{}");
  EXPECT_TRUE(std::filesystem::exists(state_.live_mark(record.run_id())));
  EXPECT_EQ(record.data().container, "sanduk-" + record.run_id().substr(record.run_id().size() - 12));
  record.update([](RunRecord& data) { data.state = RunState::running; });
  EXPECT_EQ(load_run_record(record.directory())->state, RunState::running);
  record.close([](RunRecord& data) { data.state = RunState::undoing; });
  EXPECT_TRUE(std::filesystem::exists(state_.live_mark(record.run_id()))) << "something is left to be removed";
  record.close([](RunRecord& data) { data.state = RunState::ended; });
  EXPECT_FALSE(std::filesystem::exists(state_.live_mark(record.run_id())));
}

TEST_F(RecordFiles, KeepsEveryEventThatIsOne) {
  Record record(world_, state_, make_plan(place_), "{}");
  CallRecord call;
  call.method = "POST";
  call.path = "/v1/messages";
  call.status = 200;
  call.usage.in = 12;
  record.listen(RunStarted{"id", "/there"});
  record.listen(StepStarted{"image", "ref"});
  record.listen(StepEnded{"image", 0.5, "it burnt"});
  record.listen(AgentSaid{{AgentEvent::Kind::tool, "REPORT.md \xff\x1b[31m", "Write"}});
  record.listen(AgentPrinted{"noise"});
  record.listen(CallEnded{call});
  record.listen(Tick{});
  record.listen(Note{"mind the gap"});
  const std::string events = *read_file(record.directory() / "events.jsonl", 10000);
  EXPECT_EQ(std::count(events.begin(), events.end(), '\n'), 6);
  EXPECT_THAT(events, HasSubstr(R"("kind":"call","schema":1,"id":0)"));
  EXPECT_THAT(events, HasSubstr(R"("in":12)"));
  EXPECT_THAT(events, HasSubstr(R"("kind":"agent","what":"tool","tool":"Write")"));
  EXPECT_TRUE(is_valid_utf8(events));
  EXPECT_EQ(events.find('\x1b'), std::string::npos);
  EXPECT_EQ(record.data().steps.at(0).failure, "it burnt");
  EXPECT_EQ(record.data().notes, std::vector<std::string>{"mind the gap"});
}

TEST_F(RecordFiles, ABoundedFileSaysWhereItStops) {
  BoundedFile file(place_ / "bounded", 10);
  file.append("12345");
  file.flush();
  EXPECT_EQ(place_.read("bounded"), "12345");
  file.append("6789012345");
  file.append("more");
  EXPECT_EQ(place_.read("bounded"), "1234567890\n[sanduk: the rest was not kept]\n");
}

TEST_F(RecordFiles, AStateDirectoryThatCannotBeWrittenIsSaid) {
  place_.write("state", "a file where the directory should be");
  const RunOutcome outcome = execute(make_plan(place_), "{}", world_, {});
  EXPECT_EQ(outcome.exit_code, 3);
  ASSERT_TRUE(outcome.diagnostic);
  EXPECT_EQ(outcome.diagnostic->code, "record-unwritable");
  EXPECT_EQ(world_.calls(), "");
}

TEST(Ending, ExitCodesFollowTheTable) {
  const auto of = [](Failure failure) { return ended_by(RunError(failure, error("x", "y"))).exit_code; };
  EXPECT_EQ(of(Failure::agent), 1);
  EXPECT_EQ(of(Failure::profile), 2);
  EXPECT_EQ(of(Failure::host), 3);
  EXPECT_EQ(of(Failure::policy), 4);
  EXPECT_EQ(of(Failure::internal), 70);
  EXPECT_EQ(ended_by_timeout(60).exit_code, 124);
  EXPECT_EQ(ended_by(Interrupted{15}).exit_code, 143);
  EXPECT_EQ(ended_by_bug("x").exit_code, 70);
  EXPECT_EQ(ended_by_relay("budget-spent", "x").status, RunStatus::stopped_by_policy);
  EXPECT_EQ(ended_by_relay("cassette-miss", "x").status, RunStatus::stopped_by_policy);
  EXPECT_EQ(ended_by_relay("key-refused", "x").status, RunStatus::host_not_ready);
  EXPECT_EQ(ended_by_relay("box-not-as-planned", "x").diagnostic->code, "box-broken");
}

}  // namespace
}  // namespace sanduk::test
