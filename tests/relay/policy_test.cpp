// Bodies judged and changed: what is refused, what is spliced, and that nothing else moves.
#include "relay/policy.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace sanduk::test {
namespace {

PlannedRelay plan_with(std::optional<std::int64_t> cap, std::optional<std::vector<std::string>> models) {
  PlannedRelay plan;
  plan.max_tokens = cap;
  plan.models = std::move(models);
  plan.ask_for_usage = true;
  return plan;
}

const Route anthropic{{"POST"}, "/v1/messages", Protocol::anthropic_messages, true};
const Route counting{{"POST"}, "/v1/messages/count_tokens", Protocol::none, true};
const Route chat{{"POST"}, "/v1/chat/completions", Protocol::openai_chat, true};
const Route responses{{"POST"}, "/v1/responses", Protocol::openai_responses, true};

std::string edited(const std::string& body, const Judgement& judgement) {
  std::string text;
  for (const std::string_view piece : apply_edits(body, judgement.edits)) text += piece;
  return text;
}

struct PolicyCase {
  const char* name;
  const Route* route;
  std::string body;
  int status;        // 0: taken
  std::string sent;  // "" with status 0: as it came
};

class Policy : public ::testing::TestWithParam<PolicyCase> {};

TEST_P(Policy, Judges) {
  const PlannedRelay plan = plan_with(2000, std::vector<std::string>{"m", "n", "caf\xC3\xA9"});
  const PolicyCase& one = GetParam();
  const Judgement judgement = judge_body(one.body, *one.route, plan, 64);
  EXPECT_EQ(judgement.refusal ? judgement.refusal->status : 0, one.status)
      << (judgement.refusal ? judgement.refusal->why : "taken");
  if (one.status != 0) return;
  EXPECT_EQ(edited(one.body, judgement), one.sent.empty() ? one.body : one.sent);
}

const std::vector<PolicyCase>& cases() {
  static const std::vector<PolicyCase> list = {
      // The model.
      {"Model", &anthropic, R"({"model":"m","max_tokens":5})", 0, ""},
      {"SecondModel", &anthropic, R"({"max_tokens":5,"model":"n"})", 0, ""},
      {"EscapedModel", &anthropic, R"({"model":"\u006d"})", 0, ""},
      {"Utf8Model", &anthropic, "{\"model\":\"caf\xC3\xA9\"}", 0, ""},
      {"EscapedUtf8Model", &anthropic, R"({"model":"caf\u00e9"})", 0, ""},
      {"OtherModel", &anthropic, R"({"model":"x"})", 403, ""},
      {"ModelPrefix", &anthropic, R"({"model":"mm"})", 403, ""},
      {"ModelCase", &anthropic, R"({"model":"M"})", 403, ""},
      {"ModelSuffix", &chat, R"({"model":"m:online"})", 403, ""},
      {"ModelBlank", &anthropic, R"({"model":"m "})", 403, ""},
      {"ModelEmpty", &anthropic, R"({"model":""})", 403, ""},
      {"ModelNul", &anthropic, R"({"model":"m\u0000"})", 400, ""},
      {"ModelLoneSurrogate", &anthropic, R"({"model":"m\ud800"})", 400, ""},
      {"NoModel", &anthropic, R"({"max_tokens":5})", 403, ""},
      {"ModelNumber", &anthropic, R"({"model":1})", 400, ""},
      {"ModelNull", &anthropic, R"({"model":null})", 400, ""},
      {"ModelList", &anthropic, R"({"model":["m"]})", 400, ""},
      {"ModelTwice", &anthropic, R"({"model":"m","model":"x"})", 400, ""},
      {"ModelTwiceTheSame", &anthropic, R"({"model":"m","model":"m"})", 400, ""},
      {"ModelTwiceEscaped", &anthropic, R"({"model":"m","\u006dodel":"x"})", 400, ""},
      {"EscapedKeyAlone", &anthropic, R"({"\u006dodel":"x"})", 403, ""},
      {"ModelInOtherCase", &anthropic, R"({"model":"m","Model":"x"})", 400, ""},
      {"ModelKeyWithNul", &anthropic, R"({"model":"m","model\u0000":"x"})", 400, ""},
      {"NestedModelIsNotIt", &anthropic, R"({"model":"m","metadata":{"model":"x"}})", 0, ""},
      {"Fallbacks", &chat, R"({"model":"m","models":["n","m"],"max_tokens":1})", 0, ""},
      {"FallbackNotAllowed", &chat, R"({"model":"m","models":["n","x"]})", 403, ""},
      {"FallbacksAlone", &chat, R"({"models":["m"],"max_tokens":1})", 0, ""},
      {"FallbackNoString", &chat, R"({"model":"m","models":[1]})", 400, ""},
      {"FallbacksNoList", &chat, R"({"model":"m","models":"n"})", 400, ""},
      {"FallbacksTwice", &chat, R"({"model":"m","models":["m"],"models":["x"]})", 400, ""},
      {"Preset", &chat, R"({"model":"m","preset":"p"})", 403, ""},
      {"CountTokensModel", &counting, R"({"model":"x"})", 403, ""},
      {"CountTokensIsNotClamped", &counting, R"({"model":"m","max_tokens":99999})", 0, ""},
      // Not JSON.
      {"EmptyBody", &anthropic, "", 400, ""},
      {"ArrayBody", &anthropic, "[]", 400, ""},
      {"TrailingBytes", &anthropic, R"({"model":"m"}{"model":"x"})", 400, ""},
      {"BadUtf8", &anthropic, "{\"model\":\"m\",\"a\":\"\xff\"}", 400, ""},
      // Caps.
      {"CapBelow", &anthropic, R"({"model":"m","max_tokens":2000})", 0, ""},
      {"CapAbove", &anthropic, R"({"model":"m","max_tokens":64000,"x":1.0})", 0,
       R"({"model":"m","max_tokens":2000,"x":1.0})"},
      {"CapKeepsBlanks", &anthropic, "{ \"max_tokens\" :\n 64000 , \"model\":\"m\" }", 0,
       "{ \"max_tokens\" :\n 2000 , \"model\":\"m\" }"},
      {"CapHuge", &anthropic, R"({"model":"m","max_tokens":99999999999999999999999999})", 0,
       R"({"model":"m","max_tokens":2000})"},
      {"CapZero", &anthropic, R"({"model":"m","max_tokens":0})", 0, ""},
      {"CapNegative", &anthropic, R"({"model":"m","max_tokens":-1})", 400, ""},
      {"CapFloat", &anthropic, R"({"model":"m","max_tokens":1.0})", 400, ""},
      {"CapExponent", &anthropic, R"({"model":"m","max_tokens":1e9})", 400, ""},
      {"CapString", &anthropic, R"({"model":"m","max_tokens":"5"})", 400, ""},
      {"CapNull", &anthropic, R"({"model":"m","max_tokens":null})", 400, ""},
      {"CapTwice", &anthropic, R"({"model":"m","max_tokens":1,"max_tokens":99999})", 400, ""},
      {"CapTwiceEscaped", &anthropic, R"({"model":"m","max_tokens":1,"max\u005ftokens":99999})", 400, ""},
      {"CapInOtherCase", &anthropic, R"({"model":"m","max_tokens":1,"Max_Tokens":99999})", 400, ""},
      {"CapMissingAnthropic", &anthropic, R"({"model":"m"})", 0, ""},
      {"CapNested", &anthropic, R"({"model":"m","metadata":{"max_tokens":99999}})", 0, ""},
      {"CapInText", &anthropic, R"({"model":"m","system":"\"max_tokens\":99999"})", 0, ""},
      {"ChatLegacyCap", &chat, R"({"model":"m","max_tokens":9999})", 0, R"({"model":"m","max_tokens":2000})"},
      {"ChatNewCap", &chat, R"({"model":"m","max_completion_tokens":9999})", 0,
       R"({"model":"m","max_completion_tokens":2000})"},
      {"ChatBothCaps", &chat, R"({"max_tokens":9999,"model":"m","max_completion_tokens":8888})", 0,
       R"({"max_tokens":2000,"model":"m","max_completion_tokens":2000})"},
      {"ChatOneOfBoth", &chat, R"({"max_tokens":9999,"model":"m","max_completion_tokens":88})", 0,
       R"({"max_tokens":2000,"model":"m","max_completion_tokens":88})"},
      {"ChatNoCap", &chat, R"({"model":"m"})", 0, R"({"max_completion_tokens":2000,"model":"m"})"},
      {"ChatNoCapBlank", &chat, R"( { "model":"m"})", 0, R"( {"max_completion_tokens":2000, "model":"m"})"},
      {"ChatNullCap", &chat, R"({"model":"m","max_tokens":null})", 0, R"({"model":"m","max_tokens":2000})"},
      {"ResponsesCap", &responses, R"({"model":"m","max_output_tokens":9999})", 0,
       R"({"model":"m","max_output_tokens":2000})"},
      {"ResponsesNoCap", &responses, R"({"model":"m"})", 0, R"({"max_output_tokens":2000,"model":"m"})"},
      {"ResponsesKnowsNoMaxTokens", &responses, R"({"model":"m","max_output_tokens":5,"max_tokens":9999})", 0, ""},
      // Thinking.
      {"ThinkingBelow", &anthropic,
       R"({"model":"m","max_tokens":9999,"thinking":{"type":"enabled","budget_tokens":1500}})", 0,
       R"({"model":"m","max_tokens":2000,"thinking":{"type":"enabled","budget_tokens":1500}})"},
      {"ThinkingAbove", &anthropic,
       R"({"thinking":{"type":"enabled","budget_tokens":8000},"model":"m","max_tokens":9999})", 0,
       R"({"thinking":{"type":"enabled","budget_tokens":1999},"model":"m","max_tokens":2000})"},
      {"ThinkingEqual", &anthropic, R"({"model":"m","max_tokens":9999,"thinking":{"budget_tokens":2000}})", 0,
       R"({"model":"m","max_tokens":2000,"thinking":{"budget_tokens":1999}})"},
      {"ThinkingWithoutClamp", &anthropic, R"({"model":"m","max_tokens":1500,"thinking":{"budget_tokens":8000}})", 0,
       ""},
      {"ThinkingTwice", &anthropic,
       R"({"model":"m","max_tokens":9999,"thinking":{"budget_tokens":1,"budget_tokens":8000}})", 400, ""},
      {"ThinkingDisabled", &anthropic, R"({"model":"m","max_tokens":9999,"thinking":{"type":"disabled"}})", 0,
       R"({"model":"m","max_tokens":2000,"thinking":{"type":"disabled"}})"},
      {"ThinkingNoObject", &anthropic, R"({"model":"m","max_tokens":9999,"thinking":7})", 400, ""},
      // Usage of a chat stream.
      {"AsksForUsage", &chat, R"({"model":"m","max_tokens":1,"stream":true})", 0,
       R"({"stream_options":{"include_usage":true},"model":"m","max_tokens":1,"stream":true})"},
      {"AsksAndCaps", &chat, R"({"model":"m","stream":true})", 0,
       R"({"max_completion_tokens":2000,"stream_options":{"include_usage":true},"model":"m","stream":true})"},
      {"DoesNotAskWithoutStream", &chat, R"({"model":"m","max_tokens":1,"stream":false})", 0, ""},
      {"ClientAsked", &chat, R"({"model":"m","max_tokens":1,"stream":true,"stream_options":{"include_usage":true}})", 0,
       ""},
      {"ClientSaidNo", &chat, R"({"model":"m","max_tokens":1,"stream":true,"stream_options":{"include_usage":false}})",
       0, ""},
      {"ClientHasOtherOptions", &chat, R"({"model":"m","max_tokens":1,"stream":true,"stream_options":{"x":1}})", 0,
       R"({"model":"m","max_tokens":1,"stream":true,"stream_options":{"include_usage":true,"x":1}})"},
      {"ClientHasEmptyOptions", &chat, R"({"model":"m","max_tokens":1,"stream":true,"stream_options":{}})", 0,
       R"({"model":"m","max_tokens":1,"stream":true,"stream_options":{"include_usage":true}})"},
      {"ClientHasNullOptions", &chat, R"({"model":"m","max_tokens":1,"stream":true,"stream_options":null})", 0,
       R"({"model":"m","max_tokens":1,"stream":true,"stream_options":{"include_usage":true}})"},
      {"StreamNoBoolean", &chat, R"({"model":"m","stream":"true"})", 400, ""},
      {"StreamTwice", &chat, R"({"model":"m","stream":false,"stream":true})", 400, ""},
      {"ResponsesStreamIsLeftAlone", &responses, R"({"model":"m","max_output_tokens":1,"stream":true})", 0, ""},
      {"AnthropicStreamIsLeftAlone", &anthropic, R"({"model":"m","max_tokens":1,"stream":true})", 0, ""},
      // What must not be touched.
      {"Fidelity", &anthropic,
       "{\"z\":1e400,\"a\":1.0,\"big\":123456789012345678901234567890,\"u\":\"\\u00e4\\/"
       "\",\"model\":\"m\",\r\n\t\"max_tokens\":4000,"
       "\"messages\":[{\"content\":[{\"cache_control\":{\"type\":\"ephemeral\"}}]}],\"z\":2}",
       0,
       "{\"z\":1e400,\"a\":1.0,\"big\":123456789012345678901234567890,\"u\":\"\\u00e4\\/"
       "\",\"model\":\"m\",\r\n\t\"max_tokens\":2000,"
       "\"messages\":[{\"content\":[{\"cache_control\":{\"type\":\"ephemeral\"}}]}],\"z\":2}"},
  };
  return list;
}

INSTANTIATE_TEST_SUITE_P(Bodies, Policy, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(PolicyWithoutRules, TakesAnyModelAndCap) {
  PlannedRelay plan;
  for (const char* body : {R"({"model":"anything","max_tokens":99999999})", R"({"a":1})"}) {
    const Judgement judgement = judge_body(body, anthropic, plan, 64);
    EXPECT_FALSE(judgement.refusal);
    EXPECT_TRUE(judgement.edits.empty());
  }
}

TEST(PolicyWithoutRules, StillRefusesWhatTwoParsersReadDifferently) {
  PlannedRelay plan;
  EXPECT_TRUE(judge_body(R"({"model":"a","model":"b"})", anthropic, plan, 64).refusal);
  EXPECT_TRUE(judge_body(R"({"model":7})", anthropic, plan, 64).refusal);
}

TEST(PolicyList, AnEmptyListAllowsNothing) {
  const PlannedRelay plan = plan_with(std::nullopt, std::vector<std::string>{});
  EXPECT_EQ(judge_body(R"({"model":"m"})", anthropic, plan, 64).refusal->status, 403);
}

TEST(PolicyThinking, IsRefusedInWordsWhereTheCapLeavesNoRoom) {
  const PlannedRelay plan = plan_with(1024, std::nullopt);
  const Judgement judgement =
      judge_body(R"({"model":"m","max_tokens":9999,"thinking":{"budget_tokens":5000}})", anthropic, plan, 64);
  ASSERT_TRUE(judgement.refusal);
  EXPECT_NE(judgement.refusal->why.find("1024"), std::string::npos);
}

TEST(PolicyEstimate, IsTheCapOfTheCall) {
  const PlannedRelay plan = plan_with(2000, std::nullopt);
  EXPECT_EQ(judge_body(R"({"max_tokens":9999})", anthropic, plan, 64).estimate, 2000 + 4);
  EXPECT_EQ(judge_body(R"({"max_tokens":77})", anthropic, plan, 64).estimate, 77 + 4);
}

TEST(PolicyEmptyObject, GetsAFieldWithoutAComma) {
  const PlannedRelay plan = plan_with(2000, std::nullopt);
  const std::string body = "{ }";
  EXPECT_EQ(edited(body, judge_body(body, responses, plan, 64)), "{\"max_output_tokens\":2000 }");
}

TEST(PolicyWords, ShowNoTerminalControls) {
  const PlannedRelay plan = plan_with(std::nullopt, std::vector<std::string>{"m"});
  const Judgement judgement = judge_body(R"({"model":"\u001b]52;c;x\u0007"})", anthropic, plan, 64);
  ASSERT_TRUE(judgement.refusal);
  EXPECT_EQ(judgement.refusal->why.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace sanduk::test
