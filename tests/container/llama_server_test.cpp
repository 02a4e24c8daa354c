// A server that nobody here wrote behind the providers `openai-compat` and `anthropic`: llama-server with a model of
// random weights. It answers noise; what it counts must be what the relay counts, in three protocols, streamed and not.
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "box_support.h"

namespace sanduk::test {
namespace {

constexpr const char* image = "sanduk-test/llama-server";

// Asks in each way, and writes what the server says that it counted, one line a call, as the relay's log has it.
constexpr const char* client = R"(
import { appendFileSync } from "node:fs";
const root = process.env.OPENAI_BASE_URL ?? `${process.env.ANTHROPIC_BASE_URL}/v1`;
const token = process.env.OPENAI_API_KEY ?? process.env.ANTHROPIC_API_KEY;
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
const messages = [{ role: "user", content: "Count to three." }];
const bodies = {
  "/chat/completions": { model: "tiny", max_tokens: 8, messages },
  "/responses": { model: "tiny", max_output_tokens: 8, input: "Count to three." },
  "/messages": { model: "tiny", max_tokens: 8, messages },
};
function words(usage) {
  const details = usage.prompt_tokens_details ?? usage.input_tokens_details ?? {};
  const cached = details.cached_tokens ?? usage.cache_read_input_tokens;
  return `in=${usage.prompt_tokens ?? usage.input_tokens}` + (cached === undefined ? "" : ` cache_read=${cached}`) +
    ` out=${usage.completion_tokens ?? usage.output_tokens}`;
}
for (const path of process.argv.slice(2)) {
  const body = bodies[path];
  for (const stream of [false, true]) {
    const options = stream && path === "/chat/completions" ? { stream_options: { include_usage: true } } : {};
    const answer = await fetch(root + path, { method: "POST", headers, body: JSON.stringify({ ...body, stream, ...options }) });
    const text = await answer.text();
    let usage = {};
    if (stream) {
      for (const line of text.split("\n").filter((line) => line.startsWith("data: {"))) {
        const event = JSON.parse(line.slice(6));
        usage = { ...usage, ...event.message?.usage, ...event.response?.usage, ...event.usage };
      }
    } else {
      usage = JSON.parse(text).usage;
    }
    appendFileSync("REPORT.md", `POST /v1${path} -> ${answer.status} ${words(usage)}\n`);
  }
}
)";

class LlamaServer : public testing::Test {
 protected:
  void SetUp() override {
    SANDUK_NEEDS_BOXES();
    // Debian's unstable suite is not everywhere to be had, so that this is no fault even in CI.
    if (docker({"image", "inspect", image}).exit_code != 0) {
      GTEST_SKIP() << "no image with a llama-server; .ci/model-server makes one, or says why it cannot";
    }
    std::filesystem::create_directories(root_.path() / "work");
    const ProcessResult started =
        docker({"run", "--detach", "--rm", "--publish", "127.0.0.1::8080", image, "--ctx-size", "32768"});
    ASSERT_EQ(started.exit_code, 0) << started.errors;
    server_ = std::string(trim(started.output));
    const std::string address(trim(docker({"port", server_, "8080/tcp"}).output));
    url_ = "http://" + address;
    for (int i = 0; i < 300 && !is_ready(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ASSERT_TRUE(is_ready()) << docker({"logs", server_}).errors;
  }
  void TearDown() override {
    if (!server_.empty()) docker({"rm", "--force", server_});
  }

  static ProcessResult docker(std::vector<std::string> words) {
    words.insert(words.begin(), "docker");
    return run_process({words, {}, {}, false}, std::chrono::minutes(1));
  }
  bool is_ready() const {
    return run_process({{"curl", "--silent", "--fail", "--noproxy", "*", url_ + "/health"}, {}, {}, false},
                       std::chrono::seconds(10))
               .exit_code == 0;
  }

  ProcessResult apply(const std::string& provider, const std::string& agent, const std::string& task = "") {
    std::ofstream(root_.path() / "profile.toml")
        << "version = 1\n"
        << (task.empty() ? "" : "task = \"" + task + "\"\n") << "[provider]\nname = \"" << provider
        << "\"\nkey_check = false\nupstream = \"" << url_ << "\"\nkey = \"none\"\n"
        << "[workspace]\npath = \"work\"\n[caps]\ntimeout = \"3m\"\n[agent]\n"
        << agent;
    Command command{{SANDUK_BINARY, "apply", (root_.path() / "profile.toml").string()}, {}, {}, false};
    command.variables = {{"XDG_STATE_HOME", (root_.path() / "state").string()}};
    return run_process(command, std::chrono::minutes(5));
  }

  void expect_equal_counts(const std::string& provider, const std::string& paths, std::size_t expected) {
    std::ofstream(root_.path() / "work/client.mjs") << client;
    const ProcessResult run = apply(provider, "name = \"command\"\ncommand = [\"node\", \"client.mjs\", " + paths +
                                                  "]\n[image]\nref = \"docker.io/library/node:22-slim\"\n");
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    std::ifstream report(root_.path() / "work/REPORT.md");
    std::size_t calls = 0;
    std::size_t at = 0;
    for (std::string line; std::getline(report, line); ++calls) {
      EXPECT_NE(line.find(" -> 200 in="), std::string::npos) << line;
      EXPECT_EQ(line.find("undefined"), std::string::npos) << line;
      // In the same order: a line that is found before the last one is another call's.
      at = run.errors.find(line + "\n", at);
      ASSERT_NE(at, std::string::npos) << line << "\n" << run.errors;
      at += line.size();
    }
    EXPECT_EQ(calls, expected);
  }

  TemporaryDirectory root_;
  std::string server_;
  std::string url_;
};

TEST_F(LlamaServer, CountsWhatTheRelayCountsInOpenAisProtocols) {
  expect_equal_counts("openai-compat", "\"/chat/completions\", \"/responses\"", 4);
}

TEST_F(LlamaServer, CountsWhatTheRelayCountsInMessages) { expect_equal_counts("anthropic", "\"/messages\"", 2); }

// Noise is no work, but it is an answer: the agent takes it, and its run ends.
TEST_F(LlamaServer, ARealAgentFinishesARunAgainstIt) {
  const ProcessResult run =
      apply("openai-compat", "name = \"pi\"\nmodel = \"tiny\"\nreport_instruction = false\n", "Say hello.");
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find("POST /v1/responses -> 200 in="), std::string::npos) << run.errors;
}

}  // namespace
}  // namespace sanduk::test
