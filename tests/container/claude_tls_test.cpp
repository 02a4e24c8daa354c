// The main job on real parts: `sanduk apply` runs the real Claude Code in a sealed box; the provider is a scripted
// server behind real TLS. What it proves no further: that a paid model answers as the script does.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "box_support.h"
#include "support/scripted_upstream.h"
#include "support/test_authority.h"

namespace sanduk::test {
namespace {

constexpr std::string_view key = "Qm7Zx81Kq0vT5nR7yWc3Jd9Lh2PfUs6B";

// What the agent runs in the box: everything that it could find a key in, and the box's own view of itself.
constexpr std::string_view probe_script =
    "env > /work/probe.txt; cat /proc/*/environ /proc/*/cmdline >> /work/probe.txt 2>/dev/null; "
    "grep -r . /etc/hosts /etc/resolv.conf /run/sanduk /sanduk/nothing /home /tmp /root >> /work/probe.txt "
    "2>/dev/null; "
    "ls /sys/class/net > /work/interfaces.txt; tail -n +2 /proc/net/route > /work/routes.txt; "
    "grep CapEff /proc/self/status > /work/capabilities.txt; "
    "(getent hosts api.anthropic.com || echo none) > /work/names.txt; "
    "echo '# Report' > /work/REPORT.md; echo done";

std::string event(const std::string& name, const std::string& data) {
  return "event: " + name + "\ndata: " + data + "\n\n";
}

std::string message_start(const std::string& usage) {
  return event(
      "message_start",
      R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5",)"
      R"("content":[],"stop_reason":null,"stop_sequence":null,"usage":)" +
          usage + "}}");
}

std::string ending(const std::string& reason, int tokens) {
  return event("content_block_stop", R"({"type":"content_block_stop","index":0})") +
         event("message_delta", R"({"type":"message_delta","delta":{"stop_reason":")" + reason +
                                    R"(","stop_sequence":null},"usage":{"output_tokens":)" + std::to_string(tokens) +
                                    "}}") +
         event("message_stop", R"({"type":"message_stop"})");
}

ScriptedAnswer tool_turn() {
  JsonWriter input;
  input.begin_object().field("command", probe_script).field("description", "look around").end_object();
  return ScriptedAnswer::events(
      {message_start(
           R"({"input_tokens":1200,"cache_creation_input_tokens":340,"cache_read_input_tokens":56,"output_tokens":1})"),
       event(
           "content_block_start",
           R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}})"),
       event("content_block_delta",
             R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":)" +
                 json_string(input.text()) + "}}"),
       ending("tool_use", 78)});
}

ScriptedAnswer final_turn() {
  return ScriptedAnswer::events(
      {message_start(
           R"({"input_tokens":9,"cache_creation_input_tokens":0,"cache_read_input_tokens":1540,"output_tokens":1})"),
       event("content_block_start",
             R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})"),
       event("content_block_delta",
             R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"The work is done."}})"),
       ending("end_turn", 5)});
}

// Any piece of the key of six characters.
std::string piece_of_key_in(std::string_view text) {
  for (std::size_t at = 0; at + 6 <= key.size(); ++at) {
    if (text.find(key.substr(at, 6)) != std::string_view::npos) return std::string(key.substr(at, 6));
  }
  return "";
}

std::string slurp(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class ClaudeOverTls : public testing::Test {
 protected:
  void SetUp() override {
    SANDUK_NEEDS_BOXES();
    std::filesystem::create_directories(root_.path() / "work");
    std::ofstream(root_.path() / "profile.toml") << "version = 1\n"
                                                    "name = \"tls\"\n"
                                                    "task = \"Look around and report.\"\n"
                                                    "[provider]\n"
                                                    "name = \"anthropic\"\n"
                                                    "upstream = \"https://localhost:"
                                                 << upstream_.port()
                                                 << "\"\n"
                                                    "key = \"env:CLAUDE_TLS_KEY\"\n"
                                                    "[agent]\n"
                                                    "model = \"claude-opus-5\"\n"
                                                    "[workspace]\n"
                                                    "path = \"work\"\n"
                                                    "[caps]\n"
                                                    "max_tokens = 30000\n"
                                                    "timeout = \"3m\"\n"
                                                    "[log]\n"
                                                    "bodies = \"full\"\n";
    upstream_.answer_with([this](const ScriptedRequest& request) { return answer(request); });
  }

  ScriptedAnswer answer(const ScriptedRequest& request) {
    if (request.method() == "GET") return ScriptedAnswer::json(200, R"({"data":[]})");
    if (request.body.find("\"tools\":[{") == std::string::npos) return final_turn();
    if (request.body.find("tool_result") == std::string::npos) return tool_turn();
    // The box is up right now: what the engine knows of it.
    const ProcessResult boxes =
        run_process({{"docker", "ps", "-q", "--filter", "label=sanduk.run"}, {}, {}, false}, std::chrono::seconds(20));
    for (const std::string& box : split(std::string(trim(boxes.output)), '\n')) {
      inspected_ += run_process({{"docker", "inspect", box}, {}, {}, false}, std::chrono::seconds(20)).output;
    }
    return final_turn();
  }

  ProcessResult apply() {
    Command command{{SANDUK_BINARY, "apply", (root_.path() / "profile.toml").string()}, {}, {}, false};
    command.variables = {{"SSL_CERT_FILE", authority_.certificate_file()},
                         {"CLAUDE_TLS_KEY", std::string(key)},
                         {"XDG_STATE_HOME", (root_.path() / "state").string()}};
    return run_process(command, std::chrono::minutes(9));
  }

  std::vector<ScriptedRequest> posts() const {
    std::vector<ScriptedRequest> result;
    for (ScriptedRequest& request : upstream_.requests()) {
      if (request.method() == "POST") result.push_back(std::move(request));
    }
    return result;
  }

  TemporaryDirectory root_;
  TestAuthority authority_;
  ScriptedUpstream upstream_{authority_.issue({"DNS:localhost"})};
  std::string inspected_;
};

// The agent asks for 64000 tokens a call; the cap makes it 30000 and touches nothing else.
std::string with_cap(const std::string& body) {
  return std::regex_replace(body, std::regex("\"max_tokens\":(?!30000\\b)[0-9]{5,}"), "\"max_tokens\":30000");
}

TEST_F(ClaudeOverTls, TwoTurnsWithAToolCallThroughTheRelay) {
  const ProcessResult run = apply();
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.output.find("The work is done."), std::string::npos);
  EXPECT_EQ(slurp(root_.path() / "work/REPORT.md"), "# Report\n");

  // What the log says of usage is what the provider reported.
  EXPECT_NE(run.errors.find("POST /v1/messages -> 200 in=1200 cache_write=340 cache_read=56 out=78"), std::string::npos)
      << run.errors;
  EXPECT_NE(run.errors.find("POST /v1/messages -> 200 in=9 cache_write=0 cache_read=1540 out=5"), std::string::npos)
      << run.errors;

  // The provider got the key, and nothing of the run's token.
  for (const ScriptedRequest& request : posts()) {
    EXPECT_EQ(request.header("x-api-key"), key);
    EXPECT_FALSE(request.has_header("authorization"));
    EXPECT_EQ(request.head.find("sanduk-"), std::string::npos);
  }

  // Bodies are what the agent sent, but for the clamped number.
  const std::filesystem::path runs = root_.path() / "state/sanduk/runs";
  std::vector<std::string> sent;
  for (const auto& file : std::filesystem::recursive_directory_iterator(runs)) {
    if (file.is_regular_file() && file.path().parent_path().filename() == "bodies") sent.push_back(slurp(file.path()));
  }
  std::vector<std::string> arrived;
  for (const ScriptedRequest& request : posts()) arrived.push_back(request.body);
  ASSERT_GE(arrived.size(), 2U);
  ASSERT_EQ(sent.size(), arrived.size());
  std::size_t clamped = 0;
  for (const std::string& body : sent) {
    EXPECT_NE(std::find(arrived.begin(), arrived.end(), with_cap(body)), arrived.end());
    if (with_cap(body) != body) ++clamped;
  }
  EXPECT_GE(clamped, 2U);

  // From inside: only lo, no route, no name, no capability.
  EXPECT_EQ(slurp(root_.path() / "work/interfaces.txt"), "lo\n");
  EXPECT_EQ(slurp(root_.path() / "work/routes.txt"), "");
  EXPECT_EQ(slurp(root_.path() / "work/names.txt"), "none\n");
  EXPECT_EQ(slurp(root_.path() / "work/capabilities.txt"), "CapEff:\t0000000000000000\n");

  // No piece of the key in the box, in the engine's view of it, in what we print, or in what we leave.
  const std::string seen = slurp(root_.path() / "work/probe.txt");
  EXPECT_NE(seen.find("ANTHROPIC_API_KEY=sanduk"), std::string::npos) << "the probe must see the agent's variables";
  EXPECT_EQ(piece_of_key_in(seen), "");
  EXPECT_NE(inspected_.find("ANTHROPIC_BASE_URL"), std::string::npos)
      << "the engine must have been asked while the box was up";
  EXPECT_EQ(piece_of_key_in(inspected_), "");
  EXPECT_EQ(piece_of_key_in(run.output + run.errors), "");
  for (const auto& file : std::filesystem::recursive_directory_iterator(root_.path() / "state")) {
    if (!file.is_regular_file()) continue;
    EXPECT_EQ(piece_of_key_in(slurp(file.path())), "") << file.path();
  }

  // Nothing of it is left.
  const ProcessResult left = run_process(
      {{"docker", "ps", "-aq", "--filter", "label=sanduk.state=" + (root_.path() / "state/sanduk").string()},
       {},
       {},
       false},
      std::chrono::seconds(20));
  EXPECT_EQ(left.output, "");
}

TEST_F(ClaudeOverTls, ACertificateOfAStrangerEndsTheRunBeforeAnythingIsBuilt) {
  Command command{{SANDUK_BINARY, "apply", (root_.path() / "profile.toml").string()}, {}, {}, false};
  command.variables = {{"CLAUDE_TLS_KEY", std::string(key)}, {"XDG_STATE_HOME", (root_.path() / "state").string()}};
  const ProcessResult run = run_process(command, std::chrono::minutes(2));
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.errors.find("upstream-unreachable"), std::string::npos) << run.errors;
  EXPECT_EQ(posts().size(), 0U);
  EXPECT_EQ(piece_of_key_in(run.output + run.errors), "");
}

}  // namespace
}  // namespace sanduk::test
