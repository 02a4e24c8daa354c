// The readers of agents other than Claude Code, on what those agents printed: recordings of the pinned versions against
// a scripted upstream, trimmed of what has no meaning here. That the agents still print so is for the container tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "agents/agent_reader.h"
#include "base/text.h"

namespace sanduk {
namespace {

using Kind = AgentEvent::Kind;
using testing::HasSubstr;

struct Reading {
  std::vector<AgentEvent> events;
  AgentResult result;

  std::size_t count(Kind kind) const {
    return static_cast<std::size_t>(
        std::count_if(events.begin(), events.end(), [&](const AgentEvent& event) { return event.kind == kind; }));
  }
  std::string first(Kind kind) const {
    for (const AgentEvent& event : events) {
      if (event.kind == kind) return event.text;
    }
    return "";
  }
};

std::string recording(const std::string& name) {
  std::ifstream stream(std::string(SANDUK_SOURCE_DIR) + "/tests/corpus/agents/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Reading read(const std::string& format, std::string_view output, std::size_t piece = 65536) {
  Reading reading;
  const auto reader = make_agent_reader(format, [&](const AgentEvent& event) { reading.events.push_back(event); });
  for (; !output.empty(); output.remove_prefix(std::min(piece, output.size()))) reader->feed(output.substr(0, piece));
  reading.result = reader->finish();
  return reading;
}

struct Case {
  std::string agent;
  std::string format;
  std::optional<std::int64_t> turns;
  std::optional<std::int64_t> input;  // three calls: 100 in, 40 of them cached, 20 out
  std::optional<std::int64_t> cached;
  std::optional<std::int64_t> output;
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.agent; }

class AgentFormats : public testing::TestWithParam<Case> {};

TEST_P(AgentFormats, work_that_is_done) {
  const std::string output = recording(GetParam().agent + "-done.jsonl");
  const Reading reading = read(GetParam().format, output);
  EXPECT_TRUE(reading.result.final_record);
  EXPECT_FALSE(reading.result.failed);
  EXPECT_EQ(reading.result.text, "The digest is in REPORT.md.");
  EXPECT_EQ(reading.result.turns, GetParam().turns);
  EXPECT_EQ(reading.result.input_tokens, GetParam().input);
  EXPECT_EQ(reading.result.cache_read_tokens, GetParam().cached);
  EXPECT_EQ(reading.result.output_tokens, GetParam().output);
  EXPECT_EQ(reading.result.cost_usd, std::nullopt);
  EXPECT_EQ(reading.count(Kind::tool), 2U);
  EXPECT_THAT(reading.first(Kind::tool), HasSubstr("sh digest.sh"));
  EXPECT_EQ(reading.first(Kind::text), "The digest is in REPORT.md.");
  EXPECT_EQ(reading.count(Kind::result), 1U);

  // However it is cut, it reads the same.
  const Reading slow = read(GetParam().format, output, 7);
  EXPECT_EQ(slow.events.size(), reading.events.size());
  EXPECT_EQ(slow.result.text, reading.result.text);
  EXPECT_EQ(slow.result.output_tokens, reading.result.output_tokens);
}

// The relay's words reach the user's screen.
TEST_P(AgentFormats, a_spent_budget) {
  const Reading reading = read(GetParam().format, recording(GetParam().agent + "-budget.jsonl"));
  EXPECT_TRUE(reading.result.final_record);
  EXPECT_TRUE(reading.result.failed);
  EXPECT_THAT(reading.result.text, HasSubstr("the run's budget of 2 model calls is spent"));
}

TEST_P(AgentFormats, a_model_that_is_not_there) {
  const Reading reading = read(GetParam().format, recording(GetParam().agent + "-bad-model.jsonl"));
  EXPECT_TRUE(reading.result.final_record);
  EXPECT_TRUE(reading.result.failed);
  EXPECT_THAT(reading.result.text, testing::AnyOf(HasSubstr("no such model"), HasSubstr("not found")));
}

TEST_P(AgentFormats, too_many_requests) {
  if (GetParam().agent == "gemini") GTEST_SKIP() << "it waits without a word, for longer than a recording was made";
  const Reading reading = read(GetParam().format, recording(GetParam().agent + "-429.jsonl"));
  if (GetParam().agent != "opencode") {  // which retries without a word
    EXPECT_GE(reading.count(Kind::retry), 1U);
  }
  if (GetParam().agent == "qwen") {  // cut off while it waited
    EXPECT_FALSE(reading.result.final_record);
    EXPECT_THAT(reading.first(Kind::retry), HasSubstr("attempt 1 of 10 in 60.0 s"));
    return;
  }
  EXPECT_TRUE(reading.result.failed);
}

// Killed in the middle: no final record, and what was counted so far.
TEST_P(AgentFormats, half_of_the_output) {
  const std::string output = recording(GetParam().agent + "-done.jsonl");
  std::size_t end = output.rfind("REPORT.md");
  for (int lines = 0; lines < 3; ++lines) end = output.rfind('\n', end - 1);
  const Reading reading = read(GetParam().format, std::string_view(output).substr(0, end + 1));
  EXPECT_FALSE(reading.result.final_record);
  EXPECT_EQ(reading.count(Kind::result), 0U);
}

TEST_P(AgentFormats, what_is_no_record) {
  for (const std::string_view odd :
       {"", "\n\n", "hello\n", "{\n", "[]\n", "{}\n", "{\"type\":7}\n", "{\"type\":null}\n", "\xff\xfe{\"type\":1}\n",
        "{\"type\":\"error\"}\n", "{\"type\":\"text\",\"part\":[]}\n", "{\"type\":\"message_end\",\"message\":3}\n",
        "{\"type\":\"item.completed\",\"item\":null}\n", "{\"type\":\"assistant.message\",\"data\":\"x\"}\n",
        "{\"type\":\"step_finish\",\"part\":{\"tokens\":{\"input\":\"9\"}}}\n"}) {
    const Reading reading = read(GetParam().format, odd);
    EXPECT_EQ(reading.result.input_tokens.value_or(0), 0) << odd;
  }
}

// Nothing that an agent prints makes the reader grow.
TEST_P(AgentFormats, a_line_without_an_end) {
  const auto reader = make_agent_reader(GetParam().format, nullptr);
  const std::string piece(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 20; ++i) reader->feed(piece);
  const AgentResult result = reader->finish();
  EXPECT_FALSE(result.final_record);
  EXPECT_THAT(result.text, HasSubstr("too long"));
}

constexpr std::nullopt_t none = std::nullopt;

std::string name_of(const testing::TestParamInfo<Case>& one) { return one.param.agent; }

INSTANTIATE_TEST_SUITE_P(Recorded, AgentFormats,
                         testing::Values(Case{"codex", "codex-json", none, 300, 120, 60},
                                         Case{"opencode", "opencode-json", 3, 180, 120, 60},
                                         Case{"pi", "pi-json", 3, 180, 120, 60},
                                         Case{"qwen", "claude-stream-json", 3, 300, 120, 60},
                                         Case{"copilot", "copilot-json", 3, none, none, none},
                                         Case{"gemini", "gemini-stream-json", none, 300, 120, 60}),
                         name_of);

// After the project's documents; no recording could be made.
TEST(AgentFormats, hax_records) {
  const Reading reading = read("hax-json", recording("hax-done.jsonl"));
  EXPECT_TRUE(reading.result.final_record);
  EXPECT_FALSE(reading.result.failed);
  EXPECT_EQ(reading.result.text, "The digest is in REPORT.md.");
  EXPECT_EQ(reading.result.turns, 3);
  EXPECT_EQ(reading.result.input_tokens, 300);
  EXPECT_EQ(reading.result.output_tokens, 60);
  EXPECT_EQ(reading.count(Kind::tool), 2U);
  const Reading failed = read("hax-json", "{\"type\":\"result\",\"outcome\":\"error\",\"error\":\"no model\"}\n");
  EXPECT_TRUE(failed.result.failed);
  EXPECT_EQ(failed.result.text, "no model");
  const Reading stopped = read("hax-json", "{\"type\":\"result\",\"outcome\":\"max_turns\"}\n");
  EXPECT_EQ(stopped.result.text, "max_turns");
}

// What 0.4.0 printed: the final text, nothing else.
TEST(AgentFormats, hax_without_json) {
  const Reading reading = read("hax-json", "The work is done.\n");
  EXPECT_TRUE(reading.result.final_record);
  EXPECT_EQ(reading.result.text, "The work is done.");
  EXPECT_FALSE(read("hax-json", "").result.final_record);
}

TEST(AgentFormats, an_opencode_run_that_ends_after_a_tool_has_no_result) {
  const Reading reading = read(
      "opencode-json", "{\"type\":\"step_finish\",\"part\":{\"reason\":\"tool-calls\",\"tokens\":{\"input\":5}}}\n");
  EXPECT_FALSE(reading.result.final_record);
  EXPECT_EQ(reading.result.input_tokens, 5);
}

TEST(AgentFormats, a_failed_codex_command_is_told) {
  const Reading reading = read("codex-json",
                               "{\"type\":\"item.completed\",\"item\":{\"type\":\"command_execution\",\"command\":"
                               "\"false\",\"exit_code\":1}}\n");
  EXPECT_EQ(reading.first(Kind::error), "exit code 1");
}

}  // namespace
}  // namespace sanduk
