// Token counts read from answers, however they are cut into pieces.
#include <gtest/gtest.h>

#include "relay/harness.h"
#include "relay/usage_reader.h"

namespace sanduk::test {
namespace {

std::string shown(const Usage& usage) {
  CallRecord call;
  call.method = "POST";
  call.path = "/";
  call.status = 200;
  call.completion = true;
  call.usage = usage;
  const std::string line = call_line(call);
  return line.size() > 14 ? line.substr(14) : "";
}

Usage read_in_pieces(Protocol protocol, std::string_view text, std::size_t piece, std::string_view encoding = "",
                     const Limits& limits = {}) {
  UsageReader reader(*facts_of(protocol), encoding, limits);
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
  return reader.usage();
}

struct UsageCase {
  const char* name;
  Protocol protocol;
  std::string text;
  std::string expected;
};

std::string anthropic_stream() { return joined(anthropic_events()); }

const std::vector<UsageCase>& cases() {
  static const std::vector<UsageCase> list = {
      {"AnthropicStream", Protocol::anthropic_messages, anthropic_stream(), "in=25 cache_write=3 cache_read=4 out=15"},
      {"AnthropicStreamCrlf", Protocol::anthropic_messages,
       [] {
         std::string text;
         for (const char c : anthropic_stream()) text += c == '\n' ? "\r\n" : std::string(1, c);
         return text;
       }(),
       "in=25 cache_write=3 cache_read=4 out=15"},
      {"AnthropicStreamCr", Protocol::anthropic_messages,
       [] {
         std::string text = anthropic_stream();
         for (char& c : text) c = c == '\n' ? '\r' : c;
         return text;
       }(),
       "in=25 cache_write=3 cache_read=4 out=15"},
      {"NoSpaceAfterColon", Protocol::anthropic_messages,
       "event:message_start\ndata:{\"message\":{\"usage\":{\"input_tokens\":5}}}\n\ndata:{\"usage\":{\"output_tokens\":"
       "6}}\n\n",
       "in=5 out=6"},
      {"MultiLineData", Protocol::anthropic_messages, "data: {\"usage\":\ndata: {\"output_tokens\":\ndata:6}}\n\n",
       "out=6"},
      {"CommentsAndUnknownFields", Protocol::anthropic_messages,
       ": data: {\"usage\":{\"output_tokens\":1}}\nid: 1\nretry: 5\ndatax: {\"usage\":{\"output_tokens\":2}}\n"
       "data: {\"usage\":{\"output_tokens\":6}}\n\n",
       "out=6"},
      {"ByteOrderMark", Protocol::anthropic_messages,
       "\xEF\xBB\xBF"
       "data: {\"usage\":{\"output_tokens\":6}}\n\n",
       "out=6"},
      {"DeltasAreCumulative", Protocol::anthropic_messages,
       "data: {\"message\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\ndata: "
       "{\"usage\":{\"output_tokens\":5}}\n\n"
       "data: {\"usage\":{\"output_tokens\":12}}\n\n",
       "in=9 out=12"},
      {"ZeroInputInADeltaIsNotFilledIn", Protocol::anthropic_messages,
       "data: {\"message\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n"
       "data: {\"usage\":{\"input_tokens\":0,\"output_tokens\":12}}\n\n",
       "in=9 out=12"},
      {"InputInADeltaReplaces", Protocol::anthropic_messages,
       "data: {\"message\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n"
       "data: {\"usage\":{\"input_tokens\":10,\"output_tokens\":12}}\n\n",
       "in=10 out=12"},
      {"NullCounter", Protocol::anthropic_messages,
       R"({"usage":{"input_tokens":9,"cache_read_input_tokens":null,"output_tokens":2}})", "in=9 out=2"},
      {"AnthropicJson", Protocol::anthropic_messages,
       R"({"content":[{"text":"\"usage\":{\"input_tokens\":77}"}],"usage":{"input_tokens":9,"cache_creation_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":4},"output_tokens":2}})",
       "in=9 cache_write=0 out=2"},
      {"UsageInAnArrayIsNotIt", Protocol::anthropic_messages, R"({"a":[{"usage":{"input_tokens":9}}]})", "usage=?"},
      {"NoUsage", Protocol::anthropic_messages, R"({"content":[]})", "usage=?"},
      {"UsageNull", Protocol::anthropic_messages, R"({"usage":null})", "usage=?"},
      {"NotJson", Protocol::anthropic_messages, "<html>\n\n</html>", "usage=?"},
      {"Empty", Protocol::anthropic_messages, "", "usage=?"},
      {"EventWithoutEnd", Protocol::anthropic_messages, "data: {\"usage\":{\"output_tokens\":6}}\n", "out=6"},
      {"AnErrorAmongEvents", Protocol::anthropic_messages,
       "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n", "usage=?"},
      {"BrokenEventDoesNotSpoilTheNext", Protocol::anthropic_messages,
       "data: {\"usage\":{\"x\":\"\n\ndata: {\"usage\":{\"output_tokens\":6}}\n\n", "out=6"},
      {"ResponsesCompleted", Protocol::openai_responses,
       "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"usage\":null}}\n\n"
       "event: response.completed\ndata: "
       "{\"type\":\"response.completed\",\"response\":{\"output\":[{\"content\":[]}],\"usage\":"
       "{\"input_tokens\":30,\"input_tokens_details\":{\"cached_tokens\":20},\"output_tokens\":8,"
       "\"output_tokens_details\":{\"reasoning_tokens\":3},\"total_tokens\":38}}}\n\n",
       "in=30 cache_read=20 out=8"},
      {"ResponsesIncomplete", Protocol::openai_responses,
       "data: {\"type\":\"response.incomplete\",\"response\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":8}}}\n\n",
       "in=3 out=8"},
      {"ResponsesFailed", Protocol::openai_responses,
       "data: {\"type\":\"response.failed\",\"response\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":0}}}\n\n",
       "in=3 out=0"},
      {"ResponsesJson", Protocol::openai_responses,
       R"({"usage":{"input_tokens":3,"input_tokens_details":{"cache_write_tokens":2,"cached_tokens":1},"output_tokens":8}})",
       "in=3 cache_write=2 cache_read=1 out=8"},
      {"Chat", Protocol::openai_chat,
       "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":null}\n\n"
       "data: "
       "{\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_"
       "tokens\":0}}}"
       "\n\ndata: [DONE]\n\n",
       "in=11 cache_read=0 out=4"},
      {"ChatContinuous", Protocol::openai_chat,
       "data: {\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":1}}\n\ndata: {\"usage\":{\"prompt_tokens\":11,"
       "\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
       "in=11 out=2"},
      {"ChatCost", Protocol::openai_chat,
       ": OPENROUTER PROCESSING\n\ndata: "
       "{\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":4,\"cost\":0.0125}}\n\ndata: [DONE]\n\n",
       "in=11 out=4 cost=0.012500"},
      {"ChatJson", Protocol::openai_chat, R"({"usage":{"prompt_tokens":11,"completion_tokens":4}})", "in=11 out=4"},
      {"GeminiStream", Protocol::gemini_generate,
       "data: {\"candidates\":[],\"usageMetadata\":{\"promptTokenCount\":40,\"cachedContentTokenCount\":8,"
       "\"candidatesTokenCount\":2,\"thoughtsTokenCount\":5,\"totalTokenCount\":47}}\r\n\r\n"
       "data: {\"usageMetadata\":{\"promptTokenCount\":40,\"cachedContentTokenCount\":8,\"candidatesTokenCount\":12,"
       "\"thoughtsTokenCount\":5,\"totalTokenCount\":57}}\r\n\r\n",
       "in=40 cache_read=8 out=17"},
      {"GeminiJson", Protocol::gemini_generate,
       R"({"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":3,"totalTokenCount":7}})", "in=4 out=3"},
      {"GeminiArray", Protocol::gemini_generate,
       R"([{"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":1}},)"
       R"({"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":3}}])",
       "in=4 out=3"},
      {"ChatWithoutUsage", Protocol::openai_chat, "data: {\"choices\":[]}\n\ndata: [DONE]\n\n", "usage=?"},
      {"NegativeCounter", Protocol::openai_chat, R"({"usage":{"prompt_tokens":-1,"completion_tokens":4}})", "out=4"},
      {"HugeCounter", Protocol::openai_chat, R"({"usage":{"prompt_tokens":1e300,"completion_tokens":4}})", "out=4"},
  };
  return list;
}

class UsageOf : public ::testing::TestWithParam<UsageCase> {};

TEST_P(UsageOf, IsTheSameInPiecesOfEverySize) {
  const UsageCase& one = GetParam();
  for (const std::size_t piece : {1UL, 2UL, 3UL, 7UL, 16UL, 64UL, 1000000UL}) {
    EXPECT_EQ(shown(read_in_pieces(one.protocol, one.text, piece)), one.expected) << "in pieces of " << piece;
  }
}

TEST_P(UsageOf, IsTheSameCutAtEveryByte) {
  const UsageCase& one = GetParam();
  for (std::size_t cut = 0; cut <= one.text.size(); ++cut) {
    UsageReader reader(*facts_of(one.protocol), "", {});
    reader.feed(std::string_view(one.text).substr(0, cut));
    reader.feed(std::string_view(one.text).substr(cut));
    ASSERT_EQ(shown(reader.usage()), one.expected) << "cut at " << cut;
  }
}

TEST_P(UsageOf, IsTheSameCompressed) {
  const UsageCase& one = GetParam();
  for (const std::string& packed : {gzip(one.text), gzip(one.text + "\n", true)}) {
    for (const std::size_t piece : {1UL, 13UL, 1000000UL}) {
      EXPECT_EQ(shown(read_in_pieces(one.protocol, packed, piece, "gzip")), one.expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Answers, UsageOf, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(UsageReaderBounds, AVeryLargeEventIsReadAsWell) {
  const std::string output(8 << 20, 'x');
  const std::string text = "data: {\"type\":\"response.completed\",\"response\":{\"output\":[{\"text\":\"" + output +
                           "\\n\"}],\"usage\":{\"input_tokens\":3,\"output_tokens\":8}}}\n\n";
  EXPECT_EQ(shown(read_in_pieces(Protocol::openai_responses, text, 16384)), "in=3 out=8");
}

TEST(UsageReaderBounds, ALineWithoutEndIsPassedOver) {
  UsageReader reader(*facts_of(Protocol::anthropic_messages), "", {});
  const std::string piece(65536, 'x');
  for (int i = 0; i < 1000; ++i) reader.feed(piece);
  EXPECT_EQ(shown(reader.usage()), "usage=?");
}

TEST(UsageReaderBounds, ABombIsGivenUp) {
  Limits limits;
  limits.inflate_bytes = 1 << 20;
  const std::string text = std::string(2 << 20, ' ') + R"({"usage":{"input_tokens":9}})";
  EXPECT_EQ(shown(read_in_pieces(Protocol::anthropic_messages, gzip(text), 1000, "gzip", limits)), "usage=?");
}

TEST(UsageReaderBounds, SeveralGzipMembersAreOneStream) {
  const std::string text = gzip("data: {\"usage\":{\"input_to") + gzip("kens\":9}}\n\n");
  EXPECT_EQ(shown(read_in_pieces(Protocol::anthropic_messages, text, 5, "gzip")), "in=9");
}

TEST(UsageReaderBounds, BrokenGzipIsGivenUp) {
  std::string text = gzip(anthropic_stream());
  text[20] = static_cast<char>(text[20] ^ 0x55);
  read_in_pieces(Protocol::anthropic_messages, text, 5, "gzip");
  EXPECT_EQ(shown(read_in_pieces(Protocol::anthropic_messages, "no gzip at all", 5, "gzip")), "usage=?");
}

TEST(UsageReaderBounds, OtherEncodingsAreNotGuessed) {
  EXPECT_EQ(shown(read_in_pieces(Protocol::anthropic_messages, R"({"usage":{"input_tokens":9}})", 5, "br")), "usage=?");
}

TEST(UsageReaderEnd, IsKnownFromTheLastEvent) {
  UsageReader reader(*facts_of(Protocol::anthropic_messages), "", {});
  for (const std::string& event : anthropic_events()) {
    EXPECT_FALSE(reader.finished());
    reader.feed(event);
  }
  EXPECT_TRUE(reader.finished());
  UsageReader chat(*facts_of(Protocol::openai_chat), "", {});
  chat.feed("data: [DO");
  chat.feed("NE]\n");
  EXPECT_FALSE(chat.finished());
  chat.feed("\n");
  EXPECT_TRUE(chat.finished());
}

TEST(UsageTotal, CountsCachedTokensOnce) {
  EXPECT_EQ(read_in_pieces(Protocol::anthropic_messages, anthropic_stream(), 100).total, 25 + 3 + 4 + 15);
  EXPECT_EQ(read_in_pieces(
                Protocol::openai_responses,
                R"({"usage":{"input_tokens":30,"input_tokens_details":{"cached_tokens":20},"output_tokens":8}})", 100)
                .total,
            38);
}

}  // namespace
}  // namespace sanduk::test
