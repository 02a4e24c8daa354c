// Claude Code's records: a real recording, every way of failing, and what is no record at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/agent_reader.h"
#include "base/text.h"

namespace sanduk {
namespace {

using Kind = AgentEvent::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

// Version 2.1.332 against a scripted upstream that was overloaded twice; members without meaning here left out.
constexpr std::string_view recording =
    R"({"type":"system","subtype":"init","model":"claude-opus-5-5"}
{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":1067,"error_status":529,"error":"overloaded"}
{"type":"assistant","message":{"id":"msg_01","content":[{"type":"text","text":"Looking."}],"usage":{"input_tokens":11,"cache_creation_input_tokens":7,"cache_read_input_tokens":5,"output_tokens":1}},"parent_tool_use_id":null}
{"type":"assistant","message":{"id":"msg_01","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"echo hello > REPORT.md; ls","description":"write"}}],"usage":{"input_tokens":11,"cache_creation_input_tokens":7,"cache_read_input_tokens":5,"output_tokens":1}}}
{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"REPORT.md","is_error":false}]}}
{"type":"assistant","message":{"id":"msg_02","content":[{"type":"text","text":"All done."}],"usage":{"input_tokens":11,"cache_creation_input_tokens":7,"cache_read_input_tokens":5,"output_tokens":1}}}
{"total_cost_usd":0.00116,"usage":{"input_tokens":22,"cache_creation_input_tokens":14,"cache_read_input_tokens":10,"output_tokens":50},"is_error":false,"num_turns":2,"subtype":"success","result":"All done.","type":"result"}
)";

struct Reading {
  std::vector<std::string> events;  // "kind tool: text"
  AgentResult result;
};

std::string word(Kind kind) {
  switch (kind) {
    case Kind::started:
      return "started";
    case Kind::text:
      return "text";
    case Kind::tool:
      return "tool";
    case Kind::retry:
      return "retry";
    case Kind::error:
      return "error";
    case Kind::result:
      return "result";
  }
  return "?";
}

Reading read(std::string_view output, std::size_t piece = 65536) {
  Reading reading;
  const auto reader = make_agent_reader("claude-stream-json", [&](const AgentEvent& event) {
    reading.events.push_back(word(event.kind) + (event.tool.empty() ? "" : " " + event.tool) + ": " + event.text);
  });
  for (; !output.empty(); output.remove_prefix(std::min(piece, output.size()))) reader->feed(output.substr(0, piece));
  reading.result = reader->finish();
  return reading;
}

TEST(ClaudeReader, a_recording) {
  const Reading reading = read(recording);
  EXPECT_THAT(reading.events, ElementsAre("started: claude-opus-5-5", "retry: attempt 1 of 10 in 1.1 s: 529 overloaded",
                                          "text: Looking.", "tool Bash: echo hello > REPORT.md; ls", "text: All done.",
                                          "result: All done."));
  const AgentResult& result = reading.result;
  EXPECT_TRUE(result.final_record);
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(result.text, "All done.");
  EXPECT_EQ(result.model, "claude-opus-5-5");
  EXPECT_EQ(result.turns, 2);
  EXPECT_EQ(result.input_tokens, 22);
  EXPECT_EQ(result.cache_write_tokens, 14);
  EXPECT_EQ(result.cache_read_tokens, 10);
  EXPECT_EQ(result.output_tokens, 50);
  EXPECT_DOUBLE_EQ(result.cost_usd.value_or(0), 0.00116);
}

TEST(ClaudeReader, pieces_of_any_size_read_the_same) {
  const Reading whole = read(recording);
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 100U}) {
    const Reading cut = read(recording, piece);
    EXPECT_EQ(cut.events, whole.events) << piece;
    EXPECT_EQ(cut.result.output_tokens, whole.result.output_tokens);
  }
}

TEST(ClaudeReader, a_missing_last_newline_and_crlf_lose_nothing) {
  EXPECT_TRUE(read(recording.substr(0, recording.size() - 1)).result.final_record);
  EXPECT_EQ(read(replace_all(std::string(recording), "\n", "\r\n")).events, read(recording).events);
}

TEST(ClaudeReader, without_a_result_it_keeps_what_the_messages_said_once_each) {
  const AgentResult result = read(recording.substr(0, recording.find("{\"total_cost_usd\""))).result;
  EXPECT_FALSE(result.final_record);
  EXPECT_EQ(result.input_tokens, 22);
  EXPECT_EQ(result.cache_read_tokens, 10);
  EXPECT_EQ(result.output_tokens, 2);
  EXPECT_EQ(result.model, "claude-opus-5-5");
  EXPECT_FALSE(read("").result.final_record);
  EXPECT_FALSE(read("").result.input_tokens.has_value()) << "not reported is not zero";
}

TEST(ClaudeReader, failures) {
  AgentResult result =
      read(R"({"type":"result","subtype":"success","is_error":true,"result":"API Error: 403 no"})").result;
  EXPECT_TRUE(result.final_record);
  EXPECT_TRUE(result.failed);
  EXPECT_EQ(result.text, "API Error: 403 no");
  result = read(R"({"type":"result","subtype":"error_max_turns","is_error":false,"num_turns":1})").result;
  EXPECT_TRUE(result.failed);
  EXPECT_EQ(result.text, "error_max_turns");
  result = read(R"({"type":"result","subtype":"error_during_execution","errors":["a","b"]})").result;
  EXPECT_TRUE(result.failed);
  EXPECT_EQ(result.text, "a; b");
}

TEST(ClaudeReader, errors_are_told_apart_from_words) {
  EXPECT_THAT(
      read(R"({"type":"assistant","error":"rate_limit","message":{"content":[{"type":"text","text":"API Error"}]}}
{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":[{"type":"text","text":"no such\nfile"}]}]}}
{"type":"user","message":{"content":"plain words"}}
)")
          .events,
      ElementsAre("error: API Error", "error: no such file"));
}

TEST(ClaudeReader, junk_is_passed_over) {
  const Reading reading = read(
      "not json\n{\"type\":\n[]\n\"x\"\nnull\n{}\n{\"type\":7}\n{\"type\":\"assistant\"}\n"
      "{\"type\":\"assistant\",\"message\":{\"content\":[7,null,[],{}]}}\n"
      "{\"type\":\"result\"}\n\x1b[31mred\n");
  EXPECT_TRUE(reading.result.final_record);
  EXPECT_FALSE(reading.result.turns.has_value());
}

TEST(ClaudeReader, numbers_are_numbers) {
  const AgentResult result =
      read(
          R"({"type":"result","num_turns":"3","total_cost_usd":"0.1","usage":{"input_tokens":1e3,"output_tokens":null}})")
          .result;
  EXPECT_FALSE(result.turns.has_value());
  EXPECT_FALSE(result.cost_usd.has_value());
  EXPECT_FALSE(result.output_tokens.has_value());
}

TEST(ClaudeReader, bytes_that_are_not_utf8_do_not_cost_a_record) {
  const Reading reading = read("{\"type\":\"result\",\"result\":\"a\xff\xc3z\"}\n");
  EXPECT_TRUE(reading.result.final_record);
  EXPECT_EQ(reading.result.text, "a??z");
}

TEST(ClaudeReader, a_line_beyond_all_bounds_is_skipped_but_a_lost_result_is_a_failure) {
  const std::string huge(std::size_t{10} << 20, 'x');
  const std::string line = R"({"type":"user","message":{"content":")" + huge + "\"}}\n";
  EXPECT_FALSE(read(line + std::string(recording)).result.failed);
  EXPECT_TRUE(read(line + std::string(recording)).result.final_record);
  const AgentResult lost = read(R"({"type":"result","result":")" + huge + "\"}\n").result;
  EXPECT_FALSE(lost.final_record);
  EXPECT_TRUE(lost.failed);
  EXPECT_THAT(lost.text, HasSubstr("too long"));
  // Just within the bound it is read.
  EXPECT_TRUE(
      read(R"({"type":"result","result":")" + huge.substr(0, std::size_t{7} << 20) + "\"}").result.final_record);
}

TEST(ClaudeReader, a_tool_is_told_by_what_says_most) {
  const auto told = [](const std::string& input) {
    const auto events =
        read(R"({"type":"assistant","message":{"content":[{"type":"tool_use","name":"T","input":)" + input + "}]}}")
            .events;
    return events.empty() ? "" : events.front();
  };
  EXPECT_EQ(told(R"({"file_path":"/work/a","content":"secret"})"), "tool T: /work/a");
  EXPECT_EQ(told(R"({"pattern":"x.*y","path":""})"), "tool T: x.*y");
  EXPECT_EQ(told(R"({"command":" a \n  b\t"})"), "tool T: a b");
  EXPECT_EQ(told(R"({"other":1})"), "tool T: ");
  EXPECT_EQ(told(R"("text")"), "tool T: ");
  const std::string cut = told(R"({"command":")" + std::string(500, 'c') + "\"}");
  EXPECT_EQ(cut, "tool T: " + std::string(119, 'c') + "…");
  EXPECT_EQ(told(R"({"command":")" + std::string(120, 'c') + "\"}"), "tool T: " + std::string(120, 'c'));
  std::string umlauts;
  for (int i = 0; i < 200; ++i) umlauts += "ü";
  EXPECT_EQ(told(R"({"command":")" + umlauts + "\"}").size(), std::string("tool T: ").size() + 119 * 2 + 3);
}

TEST(ClaudeReader, many_messages_are_all_counted) {
  std::string output;
  for (int i = 0; i < 10000; ++i) {
    const std::string line = R"({"type":"assistant","message":{"id":"m)" + std::to_string(i) +
                             R"(","content":[],"usage":{"input_tokens":1}}})";
    output += line + "\n" + line + "\n";
  }
  EXPECT_EQ(read(output).result.input_tokens, 10000);
}

TEST(AgentReaders, formats) {
  EXPECT_THAT(agent_reader_formats(), testing::IsSupersetOf({"claude-stream-json", "plain"}));
  EXPECT_EQ(make_agent_reader("none", nullptr), nullptr);
  // A reader without listener is good for its result alone, and none breaks at another's format.
  for (const std::string& format : agent_reader_formats()) {
    const auto reader = make_agent_reader(format, nullptr);
    reader->feed(recording);
    const AgentResult result = reader->finish();
    if (format == "claude-stream-json" || format == "plain") {
      EXPECT_TRUE(result.final_record && !result.failed) << format;
    }
  }
}

TEST(PlainReader, lines_as_they_come_and_the_end_of_all) {
  std::vector<std::string> lines;
  const auto reader = make_agent_reader("plain", [&](const AgentEvent& event) { lines.push_back(event.text); });
  reader->feed("one\ntw");
  EXPECT_THAT(lines, ElementsAre("one"));
  reader->feed("o\n\nthree");
  const AgentResult result = reader->finish();
  EXPECT_THAT(lines, ElementsAre("one", "two", "three"));
  EXPECT_TRUE(result.final_record);
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(result.text, "one\ntwo\n\nthree");
}

TEST(PlainReader, memory_is_bounded) {
  std::size_t longest = 0;
  const auto reader =
      make_agent_reader("plain", [&](const AgentEvent& event) { longest = std::max(longest, event.text.size()); });
  for (int i = 0; i < 1000; ++i) reader->feed(std::string(50000, static_cast<char>('a' + i % 26)));
  reader->feed("END");
  const AgentResult result = reader->finish();
  EXPECT_EQ(result.text.size(), 65536U);
  EXPECT_TRUE(result.text.ends_with("END"));
  EXPECT_LE(longest, 4096U);
}

}  // namespace
}  // namespace sanduk
