// Tokens, the box's report, and what of a request and an answer goes on.
#include "relay/harness.h"

namespace sanduk::test {
namespace {

constexpr const char* body = R"({"model":"claude-x","max_tokens":100})";
const std::string good = "x-api-key: " + std::string(run_token) + "\r\n";
const std::string bearer = "Authorization: Bearer " + std::string(run_token) + "\r\n";

struct TokenCase {
  const char* name;
  std::string headers;
  int anthropic;  // status
  int openai;
};

const std::vector<TokenCase>& cases() {
  static const std::string t = run_token;
  static const std::vector<TokenCase> list = {
      {"ApiKey", good, 200, 401},
      {"Bearer", bearer, 200, 200},
      {"BearerLowerCase", "authorization: bearer " + t + "\r\n", 200, 200},
      {"BearerUpperCase", "AUTHORIZATION: BEARER " + t + "\r\n", 200, 200},
      {"Both", good + bearer, 200, 200},
      {"GoodKeyAndOtherBearer", good + "Authorization: Bearer x\r\n", 200, 401},
      {"None", "x-api-key:\r\n", 401, 401},
      {"Other", "x-api-key: other\r\nAuthorization: Bearer other\r\n", 401, 401},
      {"Longer", "x-api-key: " + t + "x\r\nAuthorization: Bearer " + t + "x\r\n", 401, 401},
      {"Shorter", "x-api-key: " + t.substr(1) + "\r\nAuthorization: Bearer " + t.substr(1) + "\r\n", 401, 401},
      {"OtherCase", "x-api-key: RUN-TOKEN-0123456789\r\n", 401, 401},
      {"Repeated", "x-api-key: " + t + t + "\r\nAuthorization: Bearer " + t + t + "\r\n", 401, 401},
      {"BearerBare", "Authorization: " + t + "\r\n", 401, 401},
      {"BearerTwoSpaces", "Authorization: Bearer  " + t + "\r\n", 401, 401},
      {"BearerTab", "Authorization: Bearer\t" + t + "\r\n", 401, 401},
      {"BearerNoSpace", "Authorization: Bearer" + t + "\r\n", 401, 401},
      {"BearerEmpty", "Authorization: Bearer \r\n", 401, 401},
      {"Basic", "Authorization: Basic " + t + "\r\n", 401, 401},
      {"ApiKeyWithScheme", "x-api-key: Bearer " + t + "\r\n", 401, 401},
      {"RealKey", "x-api-key: " + std::string(real_key) + "\r\nAuthorization: Bearer " + real_key + "\r\n", 401, 401},
      {"OtherHeader", "api-key: " + t + "\r\nx-api-key: \r\n", 401, 401},
      {"TwoBearers", bearer + bearer, 400, 400},
      {"TwoApiKeys", good + good, 400, 401},
  };
  return list;
}

class Token : public RelayTest, public ::testing::WithParamInterface<TokenCase> {};

TEST_P(Token, AnthropicStyle) {
  start();
  EXPECT_EQ(ask("GET /v1/models HTTP/1.1\r\nHost: a\r\n" + GetParam().headers + "\r\n").status, GetParam().anthropic);
}

TEST_P(Token, OpenAiStyle) {
  use_openai();
  start();
  EXPECT_EQ(ask("GET /v1/models HTTP/1.1\r\nHost: a\r\n" + GetParam().headers + "\r\n").status, GetParam().openai);
}

INSTANTIATE_TEST_SUITE_P(Gate, Token, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

class GateTest : public RelayTest {};

TEST_F(GateTest, NoTokenIsNoQuestionOfThePath) {
  start();
  const Reply reply = ask("GET /secret HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(reply.status, 401);
  EXPECT_NE(reply.body.find("authentication_error"), std::string::npos);
  EXPECT_EQ(ask("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", true).status, 401);
}

TEST_F(GateTest, AnEmptyTokenLetsNobodyIn) {
  settings.token = Secret();
  start();
  EXPECT_EQ(ask("GET /v1/models HTTP/1.1\r\nHost: a\r\nx-api-key:\r\n\r\n").status, 401);
}

TEST_F(GateTest, OpenAiRefusalsHaveTheirShape) {
  use_openai();
  start();
  const Reply reply = ask("POST /v1/responses HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(reply.body.find(R"({"error":{"message":")"), std::string::npos) << reply.body;
  EXPECT_NE(reply.body.find(R"("type":"authentication_error","param":null,"code":"authentication_error"}})"),
            std::string::npos)
      << reply.body;
}

TEST_F(GateTest, TheKeyReplacesEveryCredential) {
  start();
  const std::string headers =
      good + bearer +
      "Cookie: a=b\r\nProxy-Authorization: x\r\nProxy-Connection: x\r\nAPI-KEY: x\r\nX-Goog-Api-Key: x\r\n"
      "Connection: keep-alive, x-dropped\r\nX-Dropped: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\nX-Forwarded-For: "
      "1.1.1.1\r\n"
      "x-forwarded-host: h\r\nForwarded: for=x\r\nVia: 1.1 x\r\nX-Real-IP: 1\r\n"
      "anthropic-version: 2023-06-01\r\nanthropic-beta: a,b\r\nx-claude-code-session-id: s\r\nUser-Agent: u\r\n"
      "Content-Type: application/json\r\nAccept-Encoding: br, gzip\r\n";
  EXPECT_EQ(post(body, headers).status, 200);
  const ScriptedRequest seen = upstream().requests()[0];
  EXPECT_EQ(seen.header("x-api-key"), real_key);
  EXPECT_EQ(seen.head.find(run_token), std::string::npos) << seen.head;
  for (const char* name : {"authorization", "cookie", "proxy-authorization", "proxy-connection", "api-key",
                           "x-goog-api-key", "x-dropped", "keep-alive", "te", "x-forwarded-for", "x-forwarded-host",
                           "forwarded", "via", "x-real-ip", "connection", "transfer-encoding"}) {
    EXPECT_FALSE(seen.has_header(name)) << name;
  }
  EXPECT_EQ(seen.header("host"), "127.0.0.1:" + std::to_string(upstream().port()));
  EXPECT_EQ(seen.header("anthropic-version"), "2023-06-01");
  EXPECT_EQ(seen.header("anthropic-beta"), "a,b");
  EXPECT_EQ(seen.header("x-claude-code-session-id"), "s");
  EXPECT_EQ(seen.header("user-agent"), "u");
  EXPECT_EQ(seen.header("content-type"), "application/json");
  EXPECT_EQ(seen.header("accept-encoding"), "gzip");
}

class GeminiTest : public RelayTest {
 protected:
  GeminiTest() {
    plan.provider = "gemini";
    plan.auth_header = "x-goog-api-key";
    plan.auth_scheme = "";
    plan.routes = {{{"POST"}, "/v1beta/models/{model}:generateContent", Protocol::gemini_generate, true},
                   {{"POST"}, "/v1beta/models/{model}:streamGenerateContent", Protocol::gemini_generate, true},
                   {{"POST"}, "/v1beta/models/{model}:countTokens", Protocol::none, true},
                   {{"GET"}, "/v1beta/models", Protocol::none, false}};
    plan.models = std::vector<std::string>{"gemini-2.5-flash"};
    plan.max_tokens = 100;
  }
  Reply call(const std::string& target, const std::string& text = "{}") {
    return ask("POST " + target + " HTTP/1.1\r\nHost: a\r\nx-goog-api-key: " + run_token +
               "\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
  }
};

TEST_F(GeminiTest, TheModelStandsInThePath) {
  upstream().answer(ScriptedAnswer::json(
      200, R"({"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":3,"thoughtsTokenCount":2}})"));
  start();
  EXPECT_EQ(call("/v1beta/models/gemini-2.5-flash:generateContent").status, 200);
  EXPECT_EQ(call_line(record()), "POST /v1beta/models/gemini-2.5-flash:generateContent -> 200 in=4 out=5");
  EXPECT_EQ(record().model, "gemini-2.5-flash");
  const ScriptedRequest seen = upstream().requests()[0];
  EXPECT_EQ(seen.header("x-goog-api-key"), real_key);
  EXPECT_EQ(seen.body, R"({"generationConfig":{"maxOutputTokens":100}})");
  EXPECT_EQ(call("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse").status, 200);
  EXPECT_EQ(upstream().requests()[1].target(), "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
  EXPECT_EQ(call("/v1beta/models/gemini-2.5-flash:countTokens").status, 200);
  EXPECT_EQ(upstream().requests()[2].body, "{}") << "counting generates nothing";
}

TEST_F(GeminiTest, OtherPathsAndModelsAreRefused) {
  start();
  for (const char* const target :
       {"/v1beta/models/gemini-2.5-pro:generateContent", "/v1beta/models/:generateContent",
        "/v1beta/models/a/b:generateContent", "/v1beta/models/a:b:generateContent",
        "/v1beta/models/gemini-2.5-flash:batchGenerateContent", "/v1beta/models/gemini-2.5-flash:generateContentX",
        "/v1beta/models/gemini-2.5-flash", "/v1beta/models/gemini-2.5-flash:generateContent/",
        "/v1beta/tunedModels/gemini-2.5-flash:generateContent", "/v1/models/gemini-2.5-flash:generateContent",
        "/v1beta/models/gemini-2.5-pro:countTokens"}) {
    EXPECT_EQ(call(target).status, 403) << target;
  }
  for (const char* const target :
       {"/v1beta/models/gemini-2.5-flash%3AgenerateContent", "/v1beta/models/gemini-2.5-flash:generateContent?key=abc",
        "/v1beta/models/../models/gemini-2.5-flash:generateContent"}) {
    EXPECT_EQ(call(target).status, 400) << target;
  }
  EXPECT_EQ(upstream().requests().size(), 0U);
}

TEST_F(GeminiTest, RefusalsHaveGooglesShape) {
  start();
  EXPECT_NE(
      call("/v1beta/models/gemini-2.5-pro:generateContent").body.find(R"({"error":{"code":403,"message":"the model)"),
      std::string::npos);
  const Reply reply = ask("GET /v1beta/models HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(reply.body.find(R"("status":"UNAUTHENTICATED")"), std::string::npos) << reply.body;
}

TEST_F(GateTest, OpenAiGetsItsKeyAsBearer) {
  use_openai();
  start();
  EXPECT_EQ(post(R"({"model":"m"})", bearer + good, "/v1/responses").status, 200);
  EXPECT_EQ(upstream().requests()[0].header("authorization"), "Bearer " + std::string(real_key));
  EXPECT_FALSE(upstream().requests()[0].has_header("x-api-key"));
}

TEST_F(GateTest, WithoutAKeyNoneIsSent) {
  settings.key = Secret();
  start();
  EXPECT_EQ(post(body).status, 200);
  EXPECT_FALSE(upstream().requests()[0].has_header("x-api-key"));
}

TEST_F(GateTest, TheQueryGoesOn) {
  start();
  post(body, "", "/v1/messages?beta=true");
  EXPECT_EQ(upstream().requests()[0].target(), "/v1/messages?beta=true");
  EXPECT_EQ(record().path, "/v1/messages");
}

struct EncodingCase {
  const char* name;
  const char* asked;
  const char* sent;
};

class AcceptEncoding : public RelayTest, public ::testing::WithParamInterface<EncodingCase> {};

TEST_P(AcceptEncoding, IsNarrowed) {
  start();
  const std::string line =
      GetParam().asked == nullptr ? "" : "Accept-Encoding: " + std::string(GetParam().asked) + "\r\n";
  post(body, line);
  EXPECT_EQ(upstream().requests()[0].header("accept-encoding"), GetParam().sent);
}

INSTANTIATE_TEST_SUITE_P(
    Gate, AcceptEncoding,
    ::testing::Values(EncodingCase{"None", nullptr, "identity"}, EncodingCase{"Empty", "", "identity"},
                      EncodingCase{"Gzip", "gzip", "gzip"},
                      EncodingCase{"GzipAmongOthers", "br, zstd, gzip, deflate", "gzip"},
                      EncodingCase{"Brotli", "br", "identity"}, EncodingCase{"Zstd", "zstd, br", "identity"},
                      EncodingCase{"Star", "*", "gzip"}, EncodingCase{"StarZero", "*;q=0", "identity"},
                      EncodingCase{"GzipZero", "gzip;q=0", "identity"},
                      EncodingCase{"GzipZeroStar", "gzip;q=0.0, *", "identity"},
                      EncodingCase{"GzipWeight", "br;q=1.0, gzip;q=0.5", "gzip"},
                      EncodingCase{"IdentityZero", "identity;q=0, gzip", "gzip"},
                      EncodingCase{"UpperCase", "GZIP", "gzip"}, EncodingCase{"NotGzip", "xgzip, gzipx", "identity"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_F(GateTest, TheBoxMustReportFirst) {
  std::string seen;
  settings.judge_box = [&](std::string_view report) {
    seen = report;
    return std::vector<std::string>{};
  };
  start();
  const Reply early = post(body);
  EXPECT_EQ(early.status, 503);
  EXPECT_NE(early.body.find("overloaded"), std::string::npos);
  EXPECT_EQ(ask("POST /.sanduk/box-report HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}").status, 401);
  EXPECT_EQ(ask(request("GET", "/.sanduk/box-report", "")).status, 403);
  EXPECT_EQ(post(body).status, 503);
  EXPECT_EQ(post("{\"ok\":1}", "", "/.sanduk/box-report").status, 200);
  EXPECT_EQ(seen, "{\"ok\":1}");
  EXPECT_EQ(post(body).status, 200);
  EXPECT_EQ(post("{}", "", "/.sanduk/box-report").status, 403);
  EXPECT_TRUE(stops().empty());
}

TEST_F(GateTest, ABadReportKeepsTheGateShut) {
  settings.judge_box = [](std::string_view) { return std::vector<std::string>{"there is a route", "a name resolves"}; };
  start();
  EXPECT_EQ(post("{}", "", "/.sanduk/box-report").status, 403);
  ASSERT_EQ(stops().size(), 1U);
  EXPECT_EQ(stops()[0].first, "box-not-as-planned");
  EXPECT_EQ(stops()[0].second, "there is a route; a name resolves");
  EXPECT_EQ(post("{}", "", "/.sanduk/box-report").status, 403) << "a second report";
  EXPECT_EQ(post(body).status, 503);
  EXPECT_EQ(upstream().requests().size(), 0U);
}

TEST_F(GateTest, AloneThereIsNoReport) {
  start();
  EXPECT_EQ(post("{}", "", "/.sanduk/box-report").status, 403);
}

// The provider repeats the key: in a header, in a body, cut anywhere.
class Scrub : public RelayTest, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(Scrub, CoversTheKey) {
  const std::string text = "{\"message\":\"bad key " + std::string(real_key) + ", sk-real-0123 and " + real_key + "\"}";
  ScriptedAnswer answer = ScriptedAnswer::raw("HTTP/1.1 400 Bad\r\nx-echo: Bearer " + std::string(real_key) +
                                              "\r\ncontent-length: " + std::to_string(text.size()) + "\r\n\r\n");
  for (std::size_t at = 0; at < text.size(); at += GetParam())
    answer.send(text.substr(at, GetParam())).pause(std::chrono::milliseconds(1));
  upstream().answer(answer);
  start();
  const Reply reply = post(body);
  EXPECT_TRUE(reply.complete);
  EXPECT_EQ(reply.body.size(), text.size());
  EXPECT_EQ(reply.body.find(real_key), std::string::npos) << reply.body;
  EXPECT_EQ(reply.head.find(real_key), std::string::npos) << reply.head;
  EXPECT_NE(reply.body.find("bad key *****"), std::string::npos);
  EXPECT_NE(reply.body.find(", sk-real-0123 and ***"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Gate, Scrub, ::testing::Values(1, 2, 5, 17, 29, 1000));

TEST_F(GateTest, CompressedRequestsAreJudgedAndSentPlain) {
  plan.models = std::vector<std::string>{"claude-x"};
  plan.max_tokens = 50;
  start();
  EXPECT_EQ(post(gzip(body), "Content-Encoding: gzip\r\n").status, 200);
  const ScriptedRequest seen = upstream().requests()[0];
  EXPECT_EQ(seen.body, R"({"model":"claude-x","max_tokens":50})");
  EXPECT_FALSE(seen.has_header("content-encoding"));
  EXPECT_EQ(post(gzip(R"({"model":"other"})"), "Content-Encoding: gzip\r\n").status, 403);
  EXPECT_EQ(post(gzip(body), "Content-Encoding: zstd\r\n").status, 415);
  EXPECT_EQ(post(gzip(body), "Content-Encoding: br\r\n").status, 415);
  EXPECT_EQ(post(gzip(body), "Content-Encoding: gzip, gzip\r\n").status, 415);
  EXPECT_EQ(post(gzip(body), "").status, 400) << "compressed without saying so";
  EXPECT_EQ(post("no gzip", "Content-Encoding: gzip\r\n").status, 400);
  EXPECT_EQ(post(gzip(body).substr(0, 30), "Content-Encoding: gzip\r\n").status, 400) << "cut";
  EXPECT_EQ(post(body, "Content-Encoding: identity\r\n").status, 200);
  EXPECT_EQ(upstream().requests().size(), 2U);
}

TEST_F(GateTest, ABombIsRefused) {
  settings.limits.body_bytes = 1 << 20;
  start();
  EXPECT_EQ(
      post(gzip(R"({"model":"m","x":")" + std::string(8 << 20, 'a') + "\"}"), "Content-Encoding: gzip\r\n").status,
      413);
}

}  // namespace
}  // namespace sanduk::test
