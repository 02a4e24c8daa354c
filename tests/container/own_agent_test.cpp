// An agent of one's own, added by one TOML file and no build of sanduk, in a real box: its documents, a long task on
// its standard input, what it leaves, an image that the profile adds to, and the command that judges its work. The
// agent is a small script and the provider a recording: what real agents do is in agents_tls_test.cpp.
#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "box_support.h"

namespace sanduk::test {
namespace {

constexpr std::string_view descriptor = R"(
name      = "mine"
summary   = "a script"
protocols = ["anthropic-messages"]
reader    = "plain"
argv      = ["node", "{documents}/agent.mjs", "{settings}"]
input     = "{task}"

[argv_with]
model = ["--model", "{model}"]

[endpoint]
base_url_variable = ""
base_url          = "{relay}{api_root}"
key_variable      = "MINE_KEY"

[documents]
"provider.json" = '{ "url": "{base_url}/v1/messages", "model": "{model}" }'
"agent.mjs" = '''
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
const provider = JSON.parse(readFileSync(new URL("provider.json", import.meta.url), "utf8"));
const task = readFileSync(0, "utf8");
const answer = await fetch(provider.url, {
  method: "POST",
  headers: { "x-api-key": process.env.MINE_KEY, "content-type": "application/json" },
  body: JSON.stringify({ model: provider.model, max_tokens: 9, messages: [{ role: "user", content: "hello" }] }),
});
const words = (await answer.json()).content[0].text;
mkdirSync("out/deep", { recursive: true });
writeFileSync("out/deep/notes.txt", "noted\n");
writeFileSync("REPORT.md", `${words} ${provider.model} ${task.length}\n`);
console.log("done with " + process.argv.slice(2).join(" "));
'''
)";

constexpr const char* cassette = R"({"route":"POST /v1/messages","status":200,"repeat":true,)"
                                 R"("headers":{"content-type":"application/json"},)"
                                 R"("body":{"type":"message","content":[{"type":"text","text":"hi"}],)"
                                 R"("usage":{"input_tokens":12,"output_tokens":3}}})";

class OwnAgent : public testing::Test {
 protected:
  void SetUp() override {
    SANDUK_NEEDS_BOXES();
    std::filesystem::create_directories(root_.path() / "work");
    std::ofstream(root_.path() / "mine.toml") << descriptor;
    std::ofstream(root_.path() / "answers.jsonl") << cassette << "\n";
  }

  void profile(const std::string& image, const std::string& workspace = "", const std::string& top = "") {
    std::ofstream(root_.path() / "profile.toml")
        << "version = 1\n"
        << top << "[provider]\nname = \"replay\"\ncassette = \"answers.jsonl\"\n"
        << "[agent]\nname = \"./mine.toml\"\nmodel = \"model-1\"\n"
        << "[image]\nref = \"docker.io/library/node:22-slim\"\n"
        << image << "[workspace]\npath = \"work\"\n"
        << workspace << "[caps]\ntimeout = \"1m\"\n";
  }

  ProcessResult tool(std::vector<std::string> words, const std::string& input = "") {
    words.insert(words.begin(), SANDUK_BINARY);
    Command command{words, {}, input, false};
    command.variables = {{"XDG_STATE_HOME", (root_.path() / "state").string()}};
    return run_process(command, std::chrono::minutes(4));
  }
  ProcessResult apply() { return tool({"apply", "--json", file("profile.toml")}); }

  std::string file(const std::string& name) const { return (root_.path() / name).string(); }
  static std::string read(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  TemporaryDirectory root_;
};

TEST_F(OwnAgent, IsOneFileAndKeepsWhatItIsAskedToKeep) {
  profile("", "report_copy = \"copy.md\"\ncollect = [\"out/deep/notes.txt\", \"missing.txt\"]\n",
          "task = \"Say hello.\"\n");
  const ProcessResult run = apply();
  ASSERT_EQ(run.exit_code, 0) << run.errors << run.output;
  const auto outcome = parse_json_object(run.output);
  EXPECT_NE(json_text(json_object(outcome, "agent"), "text").value_or("").find("done with --model model-1"),
            std::string::npos);
  EXPECT_EQ(json_integer(json_object(outcome, "relay"), "calls"), 1);
  EXPECT_TRUE(read(file("work/REPORT.md")).starts_with("hi model-1 ")) << read(file("work/REPORT.md"));
  EXPECT_EQ(read(file("copy.md")), read(file("work/REPORT.md")));
  const auto kept = json_array(outcome, "collected");
  ASSERT_TRUE(kept && kept->size() == 1);
  EXPECT_TRUE(kept->getElement<std::string>(0).ends_with("/collected/out/deep/notes.txt"));
  EXPECT_EQ(read(kept->getElement<std::string>(0)), "noted\n");
  EXPECT_NE(run.errors.find("the agent left no missing.txt"), std::string::npos) << run.errors;
}

// A million bytes are more than a program can be given in its arguments.
TEST_F(OwnAgent, GetsALongTaskOnItsStandardInput) {
  profile("");
  const std::string task(std::size_t{1000} * 1000, 'x');
  std::ofstream(root_.path() / "task.md") << task;
  const ProcessResult run = tool({"apply", file("profile.toml"), "--task-file", file("task.md")});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  std::istringstream words(read(file("work/REPORT.md")));
  std::string hi;
  std::string model;
  std::size_t length = 0;
  words >> hi >> model >> length;
  EXPECT_GE(length, task.size());
}

TEST_F(OwnAgent, GetsWhatStandsOnStandardInputOfRun) {
  const ProcessResult run =
      tool({"run", "-", "--proxy", "--provider", "replay", "--cassette", file("answers.jsonl"), "--agent",
            file("mine.toml"), "--model", "model-1", "--image", "docker.io/library/node:22-slim", "--workdir",
            file("work"), "--set", "agent.report_instruction=false"},
           "Say ${HELLO} to $1.\n");
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(read(file("work/REPORT.md")), "hi model-1 19\n") << "the text as it came, less its last line end";
}

TEST_F(OwnAgent, WorksInAnImageThatTheProfileAddsTo) {
  profile("add.run = [\"echo there > /added\"]\n", "", "task = \"Say hello.\"\nverify = \"test -e /added\"\n");
  const ProcessResult plan = tool({"plan", file("profile.toml")});
  EXPECT_NE(plan.output.find("RUN echo there > /added"), std::string::npos) << plan.output << plan.errors;
  const ProcessResult run = apply();
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(json_integer(parse_json_object(run.output), "verify_exit_code"), 0);
}

TEST_F(OwnAgent, IsJudgedInABoxWithoutAWayOut) {
  profile("", "",
          "task = \"Say hello.\"\n"
          "verify = \"ls /sys/class/net; env; ls /run/sanduk; grep -q '^hi' REPORT.md && echo judged && exit 3\"\n");
  const ProcessResult run = apply();
  EXPECT_EQ(run.exit_code, 1) << run.errors;
  const auto outcome = parse_json_object(run.output);
  EXPECT_EQ(json_text(json_object(outcome, "reason"), "code"), "verify-failed") << run.output;
  EXPECT_EQ(json_integer(outcome, "verify_exit_code"), 3);
  EXPECT_EQ(json_boolean(outcome, "verify_box_held"), true);
  EXPECT_FALSE(json_text(outcome, "report").value_or("").empty()) << "the report is kept all the same";
  const std::string log = read(std::filesystem::path(json_text(outcome, "record").value_or("")) / "verify.log");
  EXPECT_NE(log.find("lo\n"), std::string::npos) << log;
  EXPECT_NE(log.find("judged"), std::string::npos) << log;
  EXPECT_EQ(log.find("MINE_KEY"), std::string::npos) << log;
  EXPECT_EQ(log.find("relay.sock"), std::string::npos) << log;
  EXPECT_EQ(tool({"list", "agents"}).exit_code, 0);
  // Nothing of either box is left.
  const ProcessResult left =
      run_process({{"docker", "ps", "-aq", "--filter", "label=sanduk.state=" + file("state/sanduk")}, {}, {}, false},
                  std::chrono::seconds(20));
  EXPECT_EQ(left.output, "");
}

// hax cannot be had from any registry. A script does what its documents say that it does; this proves the descriptor's
// wiring (endpoint, key, task, instructions, skills, records) in a real box, and not that hax's own program behaves so.
TEST_F(OwnAgent, HaxesDescriptorFitsAProgramThatDoesAsItsDocumentsSay) {
  std::ofstream(root_.path() / "hax") << R"(#!/usr/bin/env node
const fs = require("fs");
const words = process.argv.slice(2).join(" ");
const config = process.env.XDG_CONFIG_HOME + "/hax/";
const heard = [fs.readFileSync(0, "utf8").length, fs.readFileSync(config + "AGENTS.md", "utf8").trim(),
               fs.readdirSync(config + "skills").join(" ")];
fetch(process.env.HAX_ANTHROPIC_BASE_URL + "/messages", {
  method: "POST",
  headers: { "x-api-key": process.env.HAX_ANTHROPIC_API_KEY, "content-type": "application/json" },
  body: JSON.stringify({ model: "model-1", max_tokens: 9, messages: [{ role: "user", content: "hello" }] }),
}).then(answer => answer.json()).then(answer => {
  const text = answer.content[0].text;
  fs.writeFileSync("REPORT.md", [text, words, ...heard].join("\n") + "\n");
  console.log(JSON.stringify({ kind: "assistant", text }));
  console.log(JSON.stringify({ kind: "turn_usage", input_tokens: 12, output_tokens: 2 }));
  console.log(JSON.stringify({ type: "result", outcome: "complete", text, turns: 1 }));
});
)";
  std::ofstream(root_.path() / "Containerfile")
      << "FROM docker.io/library/node:22-slim\nCOPY hax /usr/local/bin/hax\nRUN chmod 0755 /usr/local/bin/hax\n";
  std::filesystem::create_directories(root_.path() / "skills/one");
  std::ofstream(root_.path() / "team.md") << "a word\n";
  const std::string task(std::size_t{300} * 1000, 'x');
  std::ofstream(root_.path() / "task.md") << task;
  std::ofstream(root_.path() / "profile.toml")
      << "version = 1\ntask_file = \"task.md\"\n[provider]\nname = \"replay\"\ncassette = \"answers.jsonl\"\n"
      << "[agent]\nname = \"hax\"\nmodel = \"model-1\"\ninstructions = \"team.md\"\nskills = \"skills\"\n"
      << "report_instruction = false\n[image]\ncontainerfile = \"Containerfile\"\n[workspace]\npath = \"work\"\n"
      << "[caps]\ntimeout = \"1m\"\n";
  const ProcessResult run = apply();
  ASSERT_EQ(run.exit_code, 0) << run.errors << run.output;
  EXPECT_EQ(read(file("work/REPORT.md")),
            "hi\n-p --json --no-session --provider=anthropic-compatible --model=model-1\n300000\na word\none\n");
  const auto outcome = parse_json_object(run.output);
  EXPECT_EQ(json_text(json_object(outcome, "agent"), "text"), "hi");
  EXPECT_NE(run.errors.find("out: 2 by the agent, 3 by the relay"), std::string::npos) << run.errors;
}

// In mode open the agent's box has the key, and nobody looks for it there; the judge's box must not have it.
TEST_F(OwnAgent, IsNotJudgedInABoxThatHoldsTheKey) {
  constexpr const char* key = "sk-ant-api03-Zx81Kq0vT5nR7yWc3Jd9Lh2PfUs6B";
  std::ofstream(root_.path() / "Containerfile") << "FROM docker.io/library/node:22-slim\nENV LEAK=" << key << "\n";
  std::ofstream(root_.path() / "profile.toml")
      << "version = 1\nverify = \"touch judged\"\n"
      << "[provider]\nname = \"anthropic\"\nkey = \"env:OWN_AGENT_KEY\"\nkey_check = false\n"
      << "[agent]\nname = \"command\"\ncommand = [\"echo\", \"done\"]\n"
      << "[image]\ncontainerfile = \"Containerfile\"\n[workspace]\npath = \"work\"\n"
      << "[network]\nmode = \"open\"\n[caps]\ntimeout = \"1m\"\n";
  Command command{{SANDUK_BINARY, "apply", "--json", file("profile.toml")}, {}, {}, false};
  command.variables = {{"XDG_STATE_HOME", file("state")}, {"OWN_AGENT_KEY", key}};
  const ProcessResult run = run_process(command, std::chrono::minutes(2));
  EXPECT_EQ(run.exit_code, 3) << run.errors;
  const auto outcome = parse_json_object(run.output);
  EXPECT_EQ(json_text(json_object(outcome, "reason"), "code"), "box-broken") << run.output;
  EXPECT_EQ(json_boolean(outcome, "verify_box_held"), false);
  EXPECT_NE(run.errors.find("the variable LEAK in the box holds the real key"), std::string::npos) << run.errors;
  EXPECT_FALSE(std::filesystem::exists(file("work/judged"))) << "its command was not started";
  EXPECT_EQ(run.errors.find(key), std::string::npos);
}

TEST_F(OwnAgent, RunsNoImageButThePinnedOne) {
  profile("digest = \"sha256:" + std::string(64, '0') + "\"\n", "", "task = \"Say hello.\"\n");
  const ProcessResult run = apply();
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.errors.find("image-drift"), std::string::npos) << run.errors;
  EXPECT_FALSE(std::filesystem::exists(file("work/REPORT.md")));
}

}  // namespace
}  // namespace sanduk::test
