// What the front refuses, on raw sockets: each case is a request that two parsers could read differently, or that
// nobody needs.
#include "relay/harness.h"

namespace sanduk::test {
namespace {

constexpr const char* auth = "x-api-key: run-token-0123456789\r\n";
constexpr const char* host = "Host: relay\r\n";

struct HeadCase {
  const char* name;
  std::string bytes;
  int status;
};

std::string with(const std::string& line, const std::string& headers, const std::string& body = "") {
  return line + "\r\n" + headers + "\r\n" + body;
}

std::string post_line() { return "POST /v1/messages HTTP/1.1"; }

std::string post_with(const std::string& headers, const std::string& body = "{}") {
  return with(post_line(), std::string(host) + auth + headers, body);
}

std::string get(const std::string& target, const std::string& more = "") {
  return with("GET " + target + " HTTP/1.1", std::string(host) + auth + more);
}

const std::vector<HeadCase>& cases() {
  static const std::vector<HeadCase> list = {
      {"BareLf", "GET /v1/models HTTP/1.1\nHost: relay\n" + std::string(auth) + "\n", 400},
      {"BareLfInOneLine", "GET /v1/models HTTP/1.1\r\nHost: relay\n" + std::string(auth) + "\r\n", 400},
      {"BareCrInValue", get("/v1/models", "X-A: a\rb\r\n"), 400},
      {"EmptyFirstLine", "\r\n" + get("/v1/models"), 400},
      {"ObsFold", get("/v1/models", "X-A: a\r\n b\r\n"), 400},
      {"ObsFoldTab", get("/v1/models", "X-A: a\r\n\tb\r\n"), 400},
      {"SpaceBeforeColon", get("/v1/models", "X-A : a\r\n"), 400},
      {"TabBeforeColon", get("/v1/models", "X-A\t: a\r\n"), 400},
      {"NoColon", get("/v1/models", "X-A\r\n"), 400},
      {"EmptyName", get("/v1/models", ": a\r\n"), 400},
      {"NameWithParenthesis", get("/v1/models", "X(A): a\r\n"), 400},
      {"NameWithNonAscii", get("/v1/models", "X-\xC3\xA4: a\r\n"), 400},
      {"NulInValue", get("/v1/models", std::string("X-A: a\0b\r\n", 10)), 400},
      {"NulInName", get("/v1/models", std::string("X\0A: a\r\n", 8)), 400},
      {"EscapeInValue", get("/v1/models", "X-A: \x1b[2J\r\n"), 400},
      {"DelInValue", get("/v1/models", "X-A: \x7f\r\n"), 400},
      {"NoHost", with("GET /v1/models HTTP/1.1", auth), 400},
      {"TwoHosts", get("/v1/models", host), 400},
      {"EmptyHost", with("GET /v1/models HTTP/1.1", std::string("Host:\r\n") + auth), 400},
      {"HostWithSlash", with("GET /v1/models HTTP/1.1", std::string("Host: a/b\r\n") + auth), 400},
      {"HostWithAt", with("GET /v1/models HTTP/1.1", std::string("Host: a@b\r\n") + auth), 400},
      {"HostWithBlank", with("GET /v1/models HTTP/1.1", std::string("Host: a b\r\n") + auth), 400},
      {"AbsoluteForm", get("http://relay/v1/models"), 400},
      {"AbsoluteFormHttps", get("https://api.anthropic.com/v1/models"), 400},
      {"AsteriskForm", with("OPTIONS * HTTP/1.1", std::string(host) + auth), 400},
      {"Connect", with("CONNECT relay:443 HTTP/1.1", std::string(host) + auth), 400},
      {"Upgrade", get("/v1/models", "Connection: Upgrade\r\nUpgrade: websocket\r\n"), 400},
      {"UpgradeH2c", get("/v1/models", "Upgrade: h2c\r\n"), 400},
      {"Http2Preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"Http2Version", with("GET /v1/models HTTP/2.0", std::string(host) + auth), 505},
      {"Http12Version", with("GET /v1/models HTTP/1.2", std::string(host) + auth), 505},
      {"LowerCaseVersion", with("GET /v1/models http/1.1", std::string(host) + auth), 505},
      {"NoVersion", with("GET /v1/models", std::string(host) + auth), 400},
      {"TwoSpaces", with("GET  /v1/models HTTP/1.1", std::string(host) + auth), 400},
      {"SpaceInTarget", with("GET /v1/mod els HTTP/1.1", std::string(host) + auth), 400},
      {"TabInRequestLine", with("GET\t/v1/models\tHTTP/1.1", std::string(host) + auth), 400},
      {"MethodWithColon", with("G:T /v1/models HTTP/1.1", std::string(host) + auth), 400},
      {"TrailingSpaceInRequestLine", with("GET /v1/models HTTP/1.1 ", std::string(host) + auth), 505},
      // The path.
      {"PathDotDot", get("/v1/../v1/models"), 400},
      {"PathDot", get("/v1/./models"), 400},
      {"PathEndsInDotDot", get("/v1/models/.."), 400},
      {"PathDoubleSlash", get("/v1//models"), 400},
      {"PathLeadingDoubleSlash", get("//v1/models"), 400},
      {"PathPercent", get("/v1/%6dodels"), 400},
      {"PathPercentDot", get("/v1/%2e%2e/models"), 400},
      {"PathPercentSlash", get("/v1%2Fmodels"), 400},
      {"PathDoublePercent", get("/v1/%252e/models"), 400},
      {"PathSemicolon", get("/v1/models;x"), 400},
      {"PathBackslash", get("/v1\\models"), 400},
      {"PathFragment", get("/v1/models#x"), 400},
      {"PathNul", get(std::string("/v1/models\0", 11)), 400},
      {"PathNonAscii", get("/v1/mod\xC3\xA8ls"), 400},
      {"PathDel", get("/v1/models\x7f"), 400},
      {"PathTrailingSlash", get("/v1/models/"), 403},
      {"PathUpperCase", get("/v1/Models"), 403},
      {"PathLonger", get("/v1/models/claude-x"), 403},
      {"PathShorter", get("/v1"), 403},
      {"PathRoot", get("/"), 403},
      {"PathUnknown", get("/v1/files"), 403},
      {"QueryWithFragment", get("/v1/models?a=b#c"), 400},
      {"QueryNonAscii", get("/v1/models?a=\xC3\xA8"), 400},
      {"QueryControl", get("/v1/models?a=\x01"), 400},
      {"QueryKey", get("/v1/models?key=abc"), 400},
      {"QueryApiKey", get("/v1/models?x=1&API_KEY=abc"), 400},
      {"QueryEscapedName", get("/v1/models?%6bey=abc"), 400},
      // Methods.
      {"MethodDelete", with("DELETE /v1/models HTTP/1.1", std::string(host) + auth), 403},
      {"MethodPutOnMessages",
       with("PUT /v1/messages HTTP/1.1", std::string(host) + auth + "Content-Length: 2\r\n", "{}"), 403},
      {"MethodGetOnMessages", get("/v1/messages"), 403},
      {"MethodPostOnModels", with("POST /v1/models HTTP/1.1", std::string(host) + auth + "Content-Length: 2\r\n", "{}"),
       403},
      {"MethodLowerCase", with("get /v1/models HTTP/1.1", std::string(host) + auth), 403},
      {"MethodOptions", with("OPTIONS /v1/models HTTP/1.1", std::string(host) + auth), 403},
      {"MethodTrace", with("TRACE /v1/models HTTP/1.1", std::string(host) + auth), 403},
      // Lengths.
      {"TwoLengths", post_with("Content-Length: 2\r\nContent-Length: 2\r\n"), 400},
      {"TwoDifferentLengths", post_with("Content-Length: 2\r\nContent-Length: 3\r\n"), 400},
      {"LengthList", post_with("Content-Length: 2, 2\r\n"), 400},
      {"LengthPlus", post_with("Content-Length: +2\r\n"), 400},
      {"LengthMinus", post_with("Content-Length: -2\r\n"), 400},
      {"LengthHex", post_with("Content-Length: 0x2\r\n"), 400},
      {"LengthTrailing", post_with("Content-Length: 2x\r\n"), 400},
      {"LengthInnerBlank", post_with("Content-Length: 2 2\r\n"), 400},
      {"LengthEmpty", post_with("Content-Length:\r\n"), 400},
      {"LengthHuge", post_with("Content-Length: 99999999999999999999999\r\n"), 400},
      {"LengthTooLarge", post_with("Content-Length: 67108865\r\n"), 413},
      {"LengthAndChunked", post_with("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"), 400},
      {"ChunkedAndLength", post_with("Transfer-Encoding: chunked\r\nContent-Length: 2\r\n"), 400},
      {"TwoCodings", post_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400},
      {"GzipChunked", post_with("Transfer-Encoding: gzip, chunked\r\n"), 400},
      {"ChunkedIdentity", post_with("Transfer-Encoding: chunked, identity\r\n"), 400},
      {"Xchunked", post_with("Transfer-Encoding: xchunked\r\n"), 400},
      {"Identity", post_with("Transfer-Encoding: identity\r\n"), 400},
      {"ChunkedTwice", post_with("Transfer-Encoding: chunked, chunked\r\n"), 400},
      {"ChunkedInHttp10",
       with("POST /v1/messages HTTP/1.0", std::string(host) + auth + "Transfer-Encoding: chunked\r\n", "0\r\n\r\n"),
       400},
      {"NoLength", post_with(""), 411},
      {"BodyOnGet", get("/v1/models", "Content-Length: 2\r\n"), 400},
      {"ChunkedBodyOnGet", get("/v1/models", "Transfer-Encoding: chunked\r\n"), 400},
      {"BadChunkSize", post_with("Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n"), 400},
      {"ChunkSizeWithSign", post_with("Transfer-Encoding: chunked\r\n", "+2\r\n{}\r\n0\r\n\r\n"), 400},
      {"ChunkSizeWith0x", post_with("Transfer-Encoding: chunked\r\n", "0x2\r\n{}\r\n0\r\n\r\n"), 400},
      {"ChunkBareLf", post_with("Transfer-Encoding: chunked\r\n", "2\n{}\n0\n\n"), 400},
      {"ChunkWithoutCrlf", post_with("Transfer-Encoding: chunked\r\n", "2\r\n{}0\r\n\r\n"), 400},
      {"ChunkTooLong", post_with("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n"), 400},
      {"ChunkTrailerFolded", post_with("Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n folded: x\r\n\r\n"), 400},
      {"UnknownExpectation", post_with("Content-Length: 2\r\nExpect: miracles\r\n"), 417},
      {"TwoContentEncodings", post_with("Content-Length: 2\r\nContent-Encoding: gzip\r\nContent-Encoding: gzip\r\n"),
       400},
      {"LongRequestLine", get("/v1/models?a=" + std::string(9000, 'a')), 431},
      {"LongHeader", get("/v1/models", "X-A: " + std::string(17000, 'a') + "\r\n"), 431},
      {"LongHead",
       get("/v1/models",
           [] {
             std::string lines;
             for (int i = 0; i < 10; ++i) lines += "X-A: " + std::string(8000, 'a') + "\r\n";
             return lines;
           }()),
       431},
      {"ManyHeaders",
       get("/v1/models",
           [] {
             std::string lines;
             for (int i = 0; i < 200; ++i) lines += "X-A: a\r\n";
             return lines;
           }()),
       431},
  };
  return list;
}

class HeadRefusal : public RelayTest, public ::testing::WithParamInterface<HeadCase> {};

TEST_P(HeadRefusal, IsAnsweredAndEndsTheConnection) {
  start();
  RawClient client = connect();
  // What follows must not be read as a request.
  client.send(GetParam().bytes + get("/v1/models"));
  const Reply reply = client.read_reply();
  EXPECT_EQ(reply.status, GetParam().status) << reply.body;
  EXPECT_EQ(reply.header("connection"), "close");
  EXPECT_EQ(reply.header("x-should-retry"), "false");
  EXPECT_EQ(reply.header("content-type"), "application/json");
  EXPECT_NE(reply.body.find("\"type\":\"error\",\"error\":{\"type\":"), std::string::npos) << reply.body;
  EXPECT_EQ(client.read_some(1), "") << "a second answer";
  EXPECT_TRUE(client.wait_until_closed());
  EXPECT_EQ(upstream().requests().size(), 0U);
  ASSERT_TRUE(wait_for_records(1));
  stop();
  ASSERT_EQ(records().size(), 1U);
  EXPECT_EQ(records()[0].status, GetParam().status);
  EXPECT_FALSE(records()[0].refusal.empty());
}

INSTANTIATE_TEST_SUITE_P(Front, HeadRefusal, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

class HeadAccepted : public RelayTest, public ::testing::WithParamInterface<HeadCase> {};

TEST_P(HeadAccepted, ReachesTheProvider) {
  start();
  RawClient client = connect();
  client.send(GetParam().bytes);
  const Reply reply = client.read_reply(GetParam().bytes.starts_with("HEAD"));
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(upstream().requests().size(), 1U);
}

const std::string judged = R"({"model":"m","max_tokens":1})";
const std::string judged_size = std::to_string(judged.size());

INSTANTIATE_TEST_SUITE_P(
    Front, HeadAccepted,
    ::testing::Values(
        HeadCase{"Plain", get("/v1/models"), 200}, HeadCase{"Query", get("/v1/models?limit=1000&after_id=a%20b"), 200},
        HeadCase{"QueryWithQuestionMark", get("/v1/models?a=?b"), 200}, HeadCase{"EmptyQuery", get("/v1/models?"), 200},
        HeadCase{"QueryWithDots", get("/v1/models?a=../..//;x"), 200},
        HeadCase{"Head", with("HEAD /v1/models HTTP/1.1", std::string(host) + auth), 200},
        HeadCase{"Http10WithoutHost", with("GET /v1/models HTTP/1.0", auth), 200},
        HeadCase{"BlanksAroundValues", get("/v1/models", "X-A: \t a \t\r\n"), 200},
        HeadCase{"EmptyValue", get("/v1/models", "X-A:\r\n"), 200},
        HeadCase{"Latin1Value", get("/v1/models", "X-A: \xE4\r\n"), 200},
        HeadCase{"ZeroLengthGet", get("/v1/models", "Content-Length: 0\r\n"), 200},
        HeadCase{"LongHeader", get("/v1/models", "X-A: " + std::string(16000, 'a') + "\r\n"), 200},
        HeadCase{
            "HeaderNamesInAnyCase",
            with(post_line(),
                 "hOST: relay\r\nX-API-KEY: run-token-0123456789\r\ncontent-LENGTH: " + judged_size + "\r\n", judged),
            200},
        HeadCase{"LengthWithBlanks", post_with("Content-Length:  " + judged_size + " \r\n", judged), 200},
        HeadCase{"LengthWithZeros", post_with("Content-Length: 000" + judged_size + "\r\n", judged), 200},
        HeadCase{"Chunked", post_with("Transfer-Encoding: chunked\r\n", "1C\r\n" + judged + "\r\n0\r\n\r\n"), 200},
        HeadCase{"ChunkedInAnyCase",
                 post_with("Transfer-Encoding: CHUNKED\r\n", "1c;a=b\r\n" + judged + "\r\n000\r\n\r\n"), 200},
        HeadCase{"ChunkedWithTrailers",
                 post_with("Transfer-Encoding: chunked\r\n",
                           "1c\r\n" + judged + "\r\n0\r\nX-Checksum: 1\r\nAuthorization: x\r\n\r\n"),
                 200},
        HeadCase{"HostWithPort", with("GET /v1/models HTTP/1.1", std::string("Host: [::1]:80\r\n") + auth), 200}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace sanduk::test
