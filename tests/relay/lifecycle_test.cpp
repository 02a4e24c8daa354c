// Starting, many clients, running out of descriptors, stopping: nothing hangs, no record is lost.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "relay/harness.h"
#include "relay/transcript.h"

namespace sanduk::test {
namespace {

using std::chrono::milliseconds;

constexpr const char* body = R"({"model":"m","max_tokens":100})";

ScriptedAnswer endless() {
  return ScriptedAnswer::raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
      .chunk("data: {}\n\n")
      .wait_for_peer_close();
}

class LifecycleTest : public RelayTest {
 protected:
  milliseconds time_to_stop(double grace = 0) {
    const auto begin = std::chrono::steady_clock::now();
    relay().stop(grace);
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
  }
};

TEST_F(LifecycleTest, StopEndsStreamsAtOnceAndLosesNoRecord) {
  upstream().answer(endless());
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(connect());
    clients.back().send(request("POST", "/v1/messages", body));
    clients.back().read_some(10);
  }
  EXPECT_LT(time_to_stop(), milliseconds(1500));
  EXPECT_EQ(records().size(), 20U);
  EXPECT_EQ(records()[0].why, "the relay was stopped");
  for (RawClient& client : clients) EXPECT_FALSE(client.read_reply().complete);
  EXPECT_TRUE(upstream().wait_until_open(0));
}

TEST_F(LifecycleTest, StopEndsWaitsOfEveryKind) {
  upstream().answer(ScriptedAnswer().wait_for_peer_close());
  start();
  RawClient idle = connect();
  RawClient in_head = connect();
  in_head.send("GET /v1/mo");
  RawClient in_body = connect();
  in_body.send("POST /v1/messages HTTP/1.1\r\nHost: a\r\nx-api-key: " + std::string(run_token) +
               "\r\nContent-Length: 100\r\n\r\n{");
  RawClient in_answer = connect();
  in_answer.send(request("POST", "/v1/messages", body));
  ASSERT_TRUE(upstream().wait_for_requests(1));
  std::this_thread::sleep_for(milliseconds(200));  // so that the relay has seen the others, too
  EXPECT_LT(time_to_stop(), milliseconds(1500));
  EXPECT_EQ(records().size(), 3U);
}

TEST_F(LifecycleTest, StopEndsASlowReader) {
  ScriptedAnswer answer = ScriptedAnswer::raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) answer.chunk(piece);
  upstream().answer(answer);
  start();
  RawClient client = connect();
  client.send(request("POST", "/v1/messages", body));
  client.read_some(100);
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_LT(time_to_stop(), milliseconds(1500));
}

TEST_F(LifecycleTest, GraceLetsAnswersFinish) {
  upstream().answer(ScriptedAnswer::events(anthropic_events(), milliseconds(40)));
  start();
  RawClient client = connect();
  RawClient idle = connect();
  client.send(request("POST", "/v1/messages", body));
  client.read_some(1);
  EXPECT_LT(time_to_stop(5), milliseconds(2000));
  ASSERT_EQ(records().size(), 1U);
  EXPECT_TRUE(records()[0].complete);
}

TEST_F(LifecycleTest, StopMayBeCalledAgainAndBeforeAnything) {
  start();
  relay().stop();
  relay().stop();
  stop();
}

TEST_F(LifecycleTest, AfterStopNobodyComesIn) {
  start();
  const int old = port();
  relay().stop();
  EXPECT_ANY_THROW(RawClient::to_port(old));
}

TEST_F(LifecycleTest, IdleClientsDoNotDelayAnActiveOne) {
  start();
  std::vector<RawClient> idle;
  for (int i = 0; i < 64; ++i) {
    idle.push_back(connect());
    idle.back().send(request("GET", "/v1/models", ""));
    EXPECT_EQ(idle.back().read_reply().status, 200);
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(post(body).status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(1500));
}

TEST_F(LifecycleTest, ManyStreamsRunAtTheSameTime) {
  upstream().answer(ScriptedAnswer::events(anthropic_events(), milliseconds(100)));
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(connect());
    clients.back().send(request("POST", "/v1/messages", body));
  }
  for (RawClient& client : clients) EXPECT_EQ(client.read_reply().body, joined(anthropic_events()));
  relay().stop(1);
  EXPECT_EQ(records().size(), 200U);
  EXPECT_EQ(relay().tally().usage.out, 200 * 15);
}

TEST_F(LifecycleTest, BeyondTheBoundClientsWait) {
  settings.limits.connections = 2;
  start();
  std::optional<RawClient> first(connect());
  RawClient second = connect();
  RawClient third = connect();
  third.send(request("GET", "/v1/models", ""));
  EXPECT_EQ(third.read_some(1, milliseconds(200)), "");
  first.reset();
  EXPECT_EQ(third.read_reply().status, 200);
}

TEST_F(LifecycleTest, RunningOutOfDescriptorsHeals) {
  start();
  std::vector<RawClient> before;
  before.push_back(connect());
  rlimit old{};
  getrlimit(RLIMIT_NOFILE, &old);
  std::vector<RawClient> waiting;
  for (int i = 0; i < 4; ++i) waiting.push_back(connect());
  std::this_thread::sleep_for(milliseconds(100));
  // No descriptor beyond the highest in use can be had any more.
  const int highest = dup(0);
  ::close(highest);
  std::vector<int> filler;
  rlimit low = old;
  low.rlim_cur = static_cast<rlim_t>(highest) + 3;
  setrlimit(RLIMIT_NOFILE, &low);
  for (int fd = dup(0); fd >= 0; fd = dup(0)) filler.push_back(fd);
  before[0].close();  // leaves one descriptor, for the client's own socket
  std::this_thread::sleep_for(milliseconds(100));
  std::optional<RawClient> late;
  try {
    late.emplace(connect());
    late->send(request("GET", "/v1/models", ""));
    std::this_thread::sleep_for(milliseconds(200));
  } catch (const std::exception&) {
  }
  for (const int fd : filler) ::close(fd);
  setrlimit(RLIMIT_NOFILE, &old);
  if (late) {
    EXPECT_EQ(late->read_reply().status, 200);
  }
  EXPECT_EQ(post(body).status, 200);
}

TEST_F(LifecycleTest, DescriptorsAndThreadsAreGivenBack) {
  start();
  const auto count = [](const char* what) {
    return std::distance(std::filesystem::directory_iterator(std::string("/proc/self/") + what),
                         std::filesystem::directory_iterator());
  };
  for (int i = 0; i < 5; ++i) post(body);
  const auto descriptors = count("fd");
  for (int i = 0; i < 200; ++i) post(i % 3 == 0 ? "{" : body);
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_LE(count("fd"), descriptors + 5);
  EXPECT_LE(count("task"), 12);
}

TEST_F(LifecycleTest, RelayThreadsTakeNoSignals) {
  start();
  RawClient client = connect();
  client.send(request("GET", "/v1/models", ""));
  client.read_reply();
  int open = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "status");
    std::string line;
    while (std::getline(file, line)) {
      if (line.starts_with("SigBlk:"))
        open += (std::stoull(line.substr(8), nullptr, 16) & (1ULL << (SIGTERM - 1))) == 0 ? 1 : 0;
    }
  }
  // This thread, the scripted provider's acceptor and its one connection.
  EXPECT_LE(open, 3);
}

TEST_F(LifecycleTest, RecordsAreNumberedAndTallied) {
  upstream().answer(ScriptedAnswer::json(200, R"({"usage":{"input_tokens":5,"output_tokens":2}})"));
  start();
  // An answer can be read a moment before its record is there.
  post(body);
  ASSERT_TRUE(wait_for_records(1));
  post("{");
  ASSERT_TRUE(wait_for_records(2));
  ask(request("GET", "/v1/models", ""));
  stop();
  ASSERT_EQ(records().size(), 3U);
  EXPECT_EQ(records()[0].id, 1);
  EXPECT_EQ(records()[2].id, 3);
  EXPECT_EQ(call_line(records()[2]), "GET /v1/models -> 200");
  EXPECT_EQ(records()[0].request_bytes, 30);
  EXPECT_GT(records()[0].response_bytes, 0);
}

TEST_F(LifecycleTest, BodiesAreDigested) {
  settings.log.bodies = BodyLog::digest;
  start();
  post(body);
  record(1);
  post("{");
  EXPECT_EQ(record(1).body_digest, sha256(body));
  EXPECT_EQ(record(2).body_digest, sha256("{")) << "refused ones, too";
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_F(LifecycleTest, BodiesAreWrittenAsTheyCame) {
  settings.log.bodies = BodyLog::full;
  settings.log.directory = directory();
  plan.max_tokens = 5;
  start();
  post(body);
  post(gzip(body), "Content-Encoding: gzip\r\n");
  std::ifstream first(directory() + "/000001-request");
  std::stringstream text;
  text << first.rdbuf();
  EXPECT_EQ(text.str(), body) << "not the clamped one";
  std::ifstream second(directory() + "/000002-request");
  std::stringstream packed;
  packed << second.rdbuf();
  EXPECT_EQ(packed.str(), gzip(body));
}

TEST_F(LifecycleTest, ABodyThatCannotBeWrittenIsNotSent) {
  settings.log.bodies = BodyLog::full;
  settings.log.directory = directory();
  // A link that somebody laid: not followed.
  symlink("/tmp/elsewhere", (directory() + "/000001-request").c_str());
  start();
  EXPECT_EQ(post(body).status, 502);
  EXPECT_EQ(upstream().requests().size(), 0U);
  EXPECT_EQ(stops().at(0).first, "cannot-log");
  EXPECT_EQ(post(body).status, 200);
}

TEST(CallLine, IsOneSafeLine) {
  CallRecord call;
  call.method = "POST\x1b[2J";
  call.path = "/v1/\nmessages";
  call.status = 403;
  call.refusal = "forbidden";
  call.why = "the model \"\x1b]52;c;x\x07\" is not allowed";
  const std::string line = call_line(call);
  for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
  EXPECT_TRUE(line.starts_with("POST?[2J /v1/?messages -> 403 forbidden: ")) << line;
}

TEST(CallLine, LeavesOutWhatWasNotReported) {
  CallRecord call;
  call.method = "POST";
  call.path = "/v1/messages";
  call.status = 200;
  call.completion = true;
  EXPECT_EQ(call_line(call), "POST /v1/messages -> 200 usage=?");
  call.usage.in = 12;
  call.usage.cache_read = 0;
  EXPECT_EQ(call_line(call), "POST /v1/messages -> 200 in=12 cache_read=0");
  RelayTally tally;
  tally.calls = 2;
  tally.refused = 1;
  tally.usage = call.usage;
  EXPECT_EQ(tally_line(tally), "2 calls, 1 refused: in=12 cache_read=0");
}

}  // namespace
}  // namespace sanduk::test
