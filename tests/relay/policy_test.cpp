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
  const Judgement judgement = judge_body(one.body, {*one.route, plan, 64});
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
    const Judgement judgement = judge_body(body, {anthropic, plan, 64});
    EXPECT_FALSE(judgement.refusal);
    EXPECT_TRUE(judgement.edits.empty());
  }
}

TEST(PolicyWithoutRules, StillRefusesWhatTwoParsersReadDifferently) {
  PlannedRelay plan;
  EXPECT_TRUE(judge_body(R"({"model":"a","model":"b"})", {anthropic, plan, 64}).refusal);
  EXPECT_TRUE(judge_body(R"({"model":7})", {anthropic, plan, 64}).refusal);
}

TEST(PolicyList, AnEmptyListAllowsNothing) {
  const PlannedRelay plan = plan_with(std::nullopt, std::vector<std::string>{});
  EXPECT_EQ(judge_body(R"({"model":"m"})", {anthropic, plan, 64}).refusal->status, 403);
}

TEST(PolicyThinking, IsRefusedInWordsWhereTheCapLeavesNoRoom) {
  const PlannedRelay plan = plan_with(1024, std::nullopt);
  const Judgement judgement =
      judge_body(R"({"model":"m","max_tokens":9999,"thinking":{"budget_tokens":5000}})", {anthropic, plan, 64});
  ASSERT_TRUE(judgement.refusal);
  EXPECT_NE(judgement.refusal->why.find("1024"), std::string::npos);
}

TEST(PolicyEstimate, IsTheCapOfTheCall) {
  const PlannedRelay plan = plan_with(2000, std::nullopt);
  EXPECT_EQ(judge_body(R"({"max_tokens":9999})", {anthropic, plan, 64}).tokens(), 2000 + 4);
  EXPECT_EQ(judge_body(R"({"max_tokens":77})", {anthropic, plan, 64}).tokens(), 77 + 4);
}

TEST(PolicyEstimate, CountsEveryAnswerThatIsAskedFor) {
  const PlannedRelay plan = plan_with(2000, std::nullopt);
  EXPECT_EQ(judge_body(R"({"max_tokens":100,"n":8})", {chat, plan, 64}).out_tokens, 800);
  for (const char* const n : {"0", "-1", "1.5", "1e3", "\"2\"", "99999999999999999999", "[1]"}) {
    EXPECT_TRUE(judge_body(R"({"max_tokens":100,"n":)" + std::string(n) + "}", {chat, plan, 64}).refusal) << n;
  }
}

// The rest of a budget lowers a cap as the plan's own does.
TEST(PolicyRest, BoundsTheAnswer) {
  const PlannedRelay plan = plan_with(std::nullopt, std::nullopt);
  const auto sent = [&](const Route& route, const std::string& body, std::int64_t left) {
    const auto rest = [left](const std::string&, std::int64_t) { return std::optional<std::int64_t>(left); };
    const Judgement judgement = judge_body(body, {route, plan, 64, "", rest});
    return judgement.refusal ? std::to_string(judgement.refusal->status) : edited(body, judgement);
  };
  EXPECT_EQ(sent(anthropic, R"({"max_tokens":64000})", 500), R"({"max_tokens":500})");
  EXPECT_EQ(sent(anthropic, R"({"max_tokens":64000})", 0), R"({"max_tokens":1})");
  EXPECT_EQ(sent(anthropic, R"({"max_tokens":64})", 500), R"({"max_tokens":64})");
  EXPECT_EQ(sent(chat, R"({"max_tokens":64000,"n":4})", 500), R"({"max_tokens":125,"n":4})");
  EXPECT_EQ(sent(responses, "{}", 500), R"({"max_output_tokens":500})");
  EXPECT_EQ(sent(responses, "{}", 2000000), "{}") << "a cap that the provider might refuse as too large";
  EXPECT_EQ(sent(anthropic, R"({"max_tokens":64000,"thinking":{"budget_tokens":32000}})", 500), "402");
  EXPECT_EQ(sent(anthropic, R"({"max_tokens":64000,"thinking":{"budget_tokens":32000}})", 5000),
            R"({"max_tokens":5000,"thinking":{"budget_tokens":4999}})");
}

const Route gemini{{"POST"}, "/v1beta/models/{model}:generateContent", Protocol::gemini_generate, true};

std::string gemini_sent(const std::string& body, std::string_view model = "m") {
  const PlannedRelay plan = plan_with(2000, std::vector<std::string>{"m"});
  const Judgement judgement = judge_body(body, {gemini, plan, 64, model});
  return judgement.refusal ? std::to_string(judgement.refusal->status) : edited(body, judgement);
}

TEST(PolicyGemini, TheModelOfThePathIsJudged) {
  EXPECT_EQ(gemini_sent("{}", "other"), "403");
  EXPECT_EQ(gemini_sent(R"({"model":"models/other"})"), "400");
  EXPECT_EQ(gemini_sent(R"({"model":"models/m","generationConfig":{"maxOutputTokens":5}})"),
            R"({"model":"models/m","generationConfig":{"maxOutputTokens":5}})");
}

TEST(PolicyGemini, EitherSpellingOfTheCapIsLowered) {
  for (const std::string outer : {"generationConfig", "generation_config"}) {
    for (const std::string inner : {"maxOutputTokens", "max_output_tokens"}) {
      EXPECT_EQ(gemini_sent(R"({"contents":[],")" + outer + R"(":{"topK":1,")" + inner + R"(":9999}})"),
                R"({"contents":[],")" + outer + R"(":{"topK":1,")" + inner + R"(":2000}})");
    }
  }
  EXPECT_EQ(
      gemini_sent(R"({"generationConfig":{"maxOutputTokens":9999},"generation_config":{"max_output_tokens":8888}})"),
      R"({"generationConfig":{"maxOutputTokens":2000},"generation_config":{"max_output_tokens":2000}})");
}

TEST(PolicyGemini, AMissingCapIsSet) {
  EXPECT_EQ(gemini_sent("{}"), R"({"generationConfig":{"maxOutputTokens":2000}})");
  EXPECT_EQ(gemini_sent(R"({"contents":[]})"), R"({"generationConfig":{"maxOutputTokens":2000},"contents":[]})");
  EXPECT_EQ(gemini_sent(R"({"generationConfig":null})"), R"({"generationConfig":{"maxOutputTokens":2000}})");
  EXPECT_EQ(gemini_sent(R"({"generationConfig":{}})"), R"({"generationConfig":{"maxOutputTokens":2000}})");
  EXPECT_EQ(gemini_sent(R"({"generationConfig":{"topK":1}})"),
            R"({"generationConfig":{"maxOutputTokens":2000,"topK":1}})");
  EXPECT_EQ(gemini_sent(R"({"generation_config":{"max_output_tokens":null}})"),
            R"({"generation_config":{"max_output_tokens":2000}})");
}

TEST(PolicyGemini, WhatCouldBeReadTwoWaysIsRefused) {
  EXPECT_EQ(gemini_sent(R"({"generationConfig":{"maxOutputTokens":1,"maxOutputTokens":9999}})"), "400");
  EXPECT_EQ(gemini_sent(R"({"generationConfig":{"maxOutputTokens":1},"generationConfig":{}})"), "400");
  EXPECT_EQ(gemini_sent(R"({"generationConfig":{"MaxOutputTokens":9999}})"), "400");
  EXPECT_EQ(gemini_sent(R"({"GenerationConfig":{"maxOutputTokens":9999}})"), "400");
  EXPECT_EQ(gemini_sent(R"({"generationConfig":[]})"), "400");
  EXPECT_EQ(gemini_sent(R"({"generationConfig":{"maxOutputTokens":"9999"}})"), "400");
  EXPECT_EQ(gemini_sent(R"({"generationConfig":{"maxOutputTokens":1,"candidateCount":0}})"), "400");
}

TEST(PolicyServerTools, AreRefusedByName) {
  PlannedRelay plan = plan_with(std::nullopt, std::nullopt);
  plan.server_tools = false;
  const auto why = [&](const Route& route, const std::string& body) {
    const Judgement judgement = judge_body(body, {route, plan, 64, route.protocol == gemini.protocol ? "m" : ""});
    return judgement.refusal ? judgement.refusal->why : "";
  };
  const auto refuses = [&](const Route& route, const std::string& tools, const std::string& name) {
    EXPECT_NE(why(route, tools).find("\"" + name + "\""), std::string::npos) << tools << ": " << why(route, tools);
  };
  refuses(anthropic, R"({"tools":[{"name":"a","input_schema":{}},{"type":"web_search_20250305","name":"web_search"}]})",
          "web_search_20250305");
  refuses(anthropic, R"({"tools":[{"type":"web_fetch_20250910"}]})", "web_fetch_20250910");
  refuses(anthropic, R"({"tools":[{"type":"code_execution_20250825"}]})", "code_execution_20250825");
  refuses(anthropic, R"({"tools":[{"type":"something_new"}]})", "something_new");
  refuses(anthropic, R"({"tools":[{"type":"web\u005fsearch"}]})", "web_search");
  refuses(anthropic, R"({"tools":[{"type":"custom","type":"web_search"}]})", "a tool whose type is not plain");
  refuses(anthropic, R"({"mcp_servers":[{"url":"https://x"}]})", "mcp_servers");
  refuses(responses, R"({"tools":[{"type":"function"},{"type":"web_search"}]})", "web_search");
  refuses(responses, R"({"tools":[{"type":"mcp","server_url":"https://x"}]})", "mcp");
  refuses(responses, R"({"tools":[{"type":"code_interpreter"}]})", "code_interpreter");
  refuses(chat, R"({"web_search_options":{}})", "web_search_options");
  refuses(chat, R"({"plugins":[{"id":"web"}]})", "plugins");
  refuses(responses, R"({"prompt":{"id":"pmpt_1"}})", "prompt");
  for (const char* const body :
       {R"({"model":"m:online"})", R"({"model":"m:\u006fnline"})", R"({"model":"m","models":["n","m:online"]})"}) {
    EXPECT_NE(why(chat, body).find("the model suffix :online"), std::string::npos) << body;
  }
  refuses(gemini, R"({"tools":[{"functionDeclarations":[]},{"googleSearch":{}}]})", "googleSearch");
  refuses(gemini, R"({"tools":[{"url_context":{}}]})", "url_context");
  EXPECT_EQ(why(anthropic, R"({"tools":[{"name":"a"},{"type":"custom"},{"type":"bash_20250124"}],"mcp_servers":[]})"),
            "");
  EXPECT_EQ(why(responses, R"({"tools":[{"type":"function"},{"type":"custom"},{"type":"local_shell"}]})"), "");
  EXPECT_EQ(why(chat, R"({"tools":[{"type":"function"}],"tool_choice":"auto"})"), "");
  EXPECT_EQ(why(gemini, R"({"tools":[{"functionDeclarations":[{"name":"a"}]}]})"), "");
  EXPECT_EQ(why(chat, R"({"tools":null})"), "");
}

TEST(PolicyEmptyObject, GetsAFieldWithoutAComma) {
  const PlannedRelay plan = plan_with(2000, std::nullopt);
  const std::string body = "{ }";
  EXPECT_EQ(edited(body, judge_body(body, {responses, plan, 64})), "{\"max_output_tokens\":2000 }");
}

TEST(PolicyWords, ShowNoTerminalControls) {
  const PlannedRelay plan = plan_with(std::nullopt, std::vector<std::string>{"m"});
  const Judgement judgement = judge_body(R"({"model":"\u001b]52;c;x\u0007"})", {anthropic, plan, 64});
  ASSERT_TRUE(judgement.refusal);
  EXPECT_EQ(judgement.refusal->why.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace sanduk::test
