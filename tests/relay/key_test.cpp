// The real key: where it is read from, what is refused, and the question whether it is good.
#include "relay/key.h"

#include <unistd.h>

#include <fstream>
#include <map>

#include "relay/harness.h"

namespace sanduk::test {
namespace {

class FakeWorld : public World {
 public:
  std::map<std::string, std::string> variables;
  ProcessResult result;
  std::vector<std::string> ran;

  std::optional<std::string> variable(const std::string& name) const override {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }
  ProcessResult run(const Command& command, std::chrono::milliseconds) override {
    ran = command.argv;
    return result;
  }
};

PlannedRelay plan_for(const std::string& source, bool optional = false) {
  PlannedRelay plan;
  plan.provider = "anthropic";
  plan.key_source = source;
  plan.key_optional = optional;
  return plan;
}

Diagnostic fault_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const RunError& problem) {
    EXPECT_EQ(problem.failure, Failure::host);
    return problem.diagnostic;
  }
  ADD_FAILURE() << "no fault";
  return {};
}

TEST(ReadKey, FromAVariable) {
  FakeWorld world;
  world.variables["K"] = "sk-abc";
  EXPECT_EQ(read_key(plan_for("env:K"), world).reveal(), "sk-abc");
  const Diagnostic fault = fault_of([&] { read_key(plan_for("env:NOT_THERE"), world); });
  EXPECT_EQ(fault.code, "missing-key");
  EXPECT_NE(fault.message.find("NOT_THERE"), std::string::npos);
  EXPECT_TRUE(read_key(plan_for("env:NOT_THERE", true), world).empty());
  world.variables["E"] = "";
  EXPECT_EQ(fault_of([&] { read_key(plan_for("env:E"), world); }).code, "missing-key");
  EXPECT_TRUE(read_key(plan_for("env:E", true), world).empty());
}

TEST(ReadKey, RefusesBlanksAndControlCharactersWithoutShowingThem) {
  FakeWorld world;
  for (const char* bad :
       {"sk abc", "sk-abc\n", "\nsk-abc", "sk\tabc", "sk-\x01", "sk-\xC3\xA4", " sk-abc", "sk\r\nX-Evil: 1"}) {
    world.variables["K"] = bad;
    const Diagnostic fault = fault_of([&] { read_key(plan_for("env:K"), world); });
    EXPECT_EQ(fault.code, "unreadable-key") << bad;
    EXPECT_EQ((fault.message + fault.help).find("sk"), std::string::npos) << fault.message;
  }
}

TEST(ReadKey, FromAFile) {
  FakeWorld world;
  const std::string path = ::testing::TempDir() + "sanduk-key-" + std::to_string(getpid());
  std::ofstream(path) << "sk-file\n";
  EXPECT_EQ(read_key(plan_for("file:" + path), world).reveal(), "sk-file");
  std::ofstream(path) << "sk-file\r\n";
  EXPECT_EQ(read_key(plan_for("file:" + path), world).reveal(), "sk-file");
  std::ofstream(path) << "sk-file\n\n";
  EXPECT_EQ(fault_of([&] { read_key(plan_for("file:" + path), world); }).code, "unreadable-key");
  std::ofstream(path) << "";
  EXPECT_EQ(fault_of([&] { read_key(plan_for("file:" + path), world); }).code, "missing-key");
  unlink(path.c_str());
  EXPECT_EQ(fault_of([&] { read_key(plan_for("file:" + path), world); }).code, "unreadable-key");
  EXPECT_EQ(fault_of([&] { read_key(plan_for("file:/"), world); }).code, "unreadable-key");
}

TEST(ReadKey, FromACommand) {
  FakeWorld world;
  world.result.started = true;
  world.result.exit_code = 0;
  world.result.output = "sk-command\n";
  EXPECT_EQ(read_key(plan_for("command:pass show  anthropic"), world).reveal(), "sk-command");
  EXPECT_EQ(world.ran, (std::vector<std::string>{"pass", "show", "anthropic"}));
  world.result.exit_code = 3;
  const Diagnostic fault = fault_of([&] { read_key(plan_for("command:pass"), world); });
  EXPECT_EQ(fault.code, "unreadable-key");
  EXPECT_NE(fault.message.find("code 3"), std::string::npos);
  EXPECT_EQ(fault.message.find("sk-command"), std::string::npos);
  world.result.started = false;
  EXPECT_EQ(fault_of([&] { read_key(plan_for("command:pass"), world); }).code, "unreadable-key");
  EXPECT_EQ(fault_of([&] { read_key(plan_for("command: "), world); }).code, "unreadable-key");
}

TEST(ReadKey, NoneAndNonsense) {
  FakeWorld world;
  EXPECT_TRUE(read_key(plan_for("none"), world).empty());
  const Diagnostic fault = fault_of([&] { read_key(plan_for("sk-ant-literal-key"), world); });
  EXPECT_EQ((fault.message + fault.help).find("literal"), std::string::npos);
}

class CheckKey : public RelayTest {
 protected:
  void SetUp() override {
    plan.upstream = Upstream{"http", "127.0.0.1", upstream().port()};
    plan.key_check = KeyCheck{"/v1/models", {{"anthropic-version", "2023-06-01"}}};
    plan.key_source = "env:K";
  }
  void check() { check_key(plan, settings.key, World()); }
};

TEST_F(CheckKey, AsksWithTheKey) {
  check();
  const ScriptedRequest seen = upstream().requests().at(0);
  EXPECT_EQ(seen.head.substr(0, seen.head.find("\r\n")), "GET /v1/models HTTP/1.1");
  EXPECT_EQ(seen.header("x-api-key"), real_key);
  EXPECT_EQ(seen.header("anthropic-version"), "2023-06-01");
}

TEST_F(CheckKey, RefusedKeysAreSaid) {
  for (const int status : {401, 403}) {
    upstream().answer_with([status](const ScriptedRequest&) { return ScriptedAnswer::json(status, "{}"); });
    const Diagnostic fault = fault_of([&] { check(); });
    EXPECT_EQ(fault.code, "key-refused");
    EXPECT_EQ((fault.message + fault.help).find(real_key), std::string::npos);
  }
}

TEST_F(CheckKey, AnyOtherAnswerIsAnAnswer) {
  for (const int status : {200, 404, 429, 500, 529}) {
    upstream().answer_with([status](const ScriptedRequest&) { return ScriptedAnswer::json(status, "{}"); });
    check();
  }
}

TEST_F(CheckKey, NobodyThereIsSaid) {
  plan.upstream->port = 1;
  EXPECT_EQ(fault_of([&] { check(); }).code, "upstream-unreachable");
}

TEST_F(CheckKey, ABadCertificateIsSaid) {
  TestAuthority other;
  use_tls(other.issue({"DNS:localhost"}));
  EXPECT_EQ(fault_of([&] { check(); }).code, "upstream-unreachable");
}

TEST_F(CheckKey, NothingIsAskedWithoutACheck) {
  plan.key_check.reset();
  check();
  EXPECT_EQ(upstream().connections(), 0U);
}

}  // namespace
}  // namespace sanduk::test
