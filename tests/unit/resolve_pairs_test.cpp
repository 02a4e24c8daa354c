// Every shipped agent with every shipped provider: a plan in their first shared protocol, or a refusal that names who
// would do. The tables here say what is spoken; the descriptors must agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "catalog/catalog.h"
#include "plan/plan_json.h"
#include "resolve/placeholders.h"
#include "resolve/probe.h"
#include "resolve/resolve.h"
#include "support/scratch.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using Names = std::vector<std::string>;

const std::map<std::string, Names> agents = {
    {"claude", {"anthropic-messages"}},
    {"codex", {"openai-responses"}},
    {"copilot", {"anthropic-messages", "openai-responses", "openai-chat"}},
    {"crush", {"anthropic-messages", "openai-chat"}},
    {"gemini", {"gemini-generate"}},
    {"hax", {"anthropic-messages", "openai-chat"}},
    {"opencode", {"anthropic-messages", "openai-chat"}},
    {"pi", {"anthropic-messages", "openai-responses", "openai-chat"}},
    {"qwen", {"openai-chat"}},
};
const std::map<std::string, Names> providers = {
    {"anthropic", {"anthropic-messages"}},
    {"gemini", {"gemini-generate"}},
    {"openai", {"openai-responses", "openai-chat"}},
    {"openrouter", {"openai-chat"}},
    {"openai-compat", {"openai-responses", "openai-chat"}},
    {"replay", {"anthropic-messages", "openai-responses", "openai-chat"}},
};

template <class T>
void say(Setting<T>& setting, T value) {
  setting.value = std::move(value);
  setting.origin.layer = Layer::file;
}

class Pairs : public testing::Test {
 protected:
  std::optional<Plan> resolve_pair(const std::string& agent, const std::string& provider, Diagnostics& problems) {
    Profile profile;
    profile.directory = scratch_.root();
    say(profile.task, std::string("Say \"hello\" {model}."));
    say(profile.agent.name, agent);
    say(profile.agent.model, std::string("a \"model\""));
    say(profile.provider.name, provider);
    if (agent == "hax") say(profile.image.ref, std::string("hax:0.5.0"));
    if (provider == "replay") {
      std::ofstream(scratch_.root() / "answers.jsonl") << "\n";
      say(profile.provider.cassette, FilePath{(scratch_.root() / "answers.jsonl").string()});
    }
    World world;
    std::filesystem::create_directories(scratch_.root() / "work");
    say(profile.workspace.path, FilePath{(scratch_.root() / "work").string()});
    const Catalog catalog(scratch_.root() / "none");
    return resolve(profile, catalog, probe(profile, world), problems);
  }

  Scratch scratch_;
};

std::string words(const Diagnostics& problems) {
  std::string all;
  for (const Diagnostic& problem : problems.sorted()) {
    all += problem.code + ": " + problem.message + "\n" + problem.help + "\n";
    for (const std::string& note : problem.notes) all += note + "\n";
  }
  return all;
}

// What is left for the run to fill in.
void expect_filled(const std::string& text, const Names& allowed, const std::string& where) {
  for (const std::string& name : placeholders_in(text)) {
    EXPECT_THAT(allowed, testing::Contains(name)) << where << ": " << text;
  }
}

TEST_F(Pairs, every_agent_with_every_provider) {
  for (const auto& [agent, spoken] : agents) {
    for (const auto& [provider, offered] : providers) {
      std::string shared;
      for (const std::string& protocol : spoken) {
        const bool common = std::find(offered.begin(), offered.end(), protocol) != offered.end();
        if (shared.empty() && common) shared = protocol;
      }
      const std::string pair = agent + " with " + provider;
      Diagnostics problems;
      const std::optional<Plan> plan = resolve_pair(agent, provider, problems);
      if (shared.empty()) {
        EXPECT_FALSE(plan) << pair;
        EXPECT_THAT(words(problems), HasSubstr("no-shared-protocol")) << pair;
        EXPECT_THAT(words(problems), HasSubstr("providers for this agent: ")) << pair;
        EXPECT_THAT(words(problems), HasSubstr("agents for this provider: ")) << pair;
        continue;
      }
      ASSERT_TRUE(plan) << pair << "\n" << words(problems);
      EXPECT_EQ(protocol_name(plan->agent.protocol), shared) << pair;
      for (const std::string& word : plan->agent.argv) {
        if (word != plan->task) expect_filled(word, {"relay"}, pair);
      }
      for (const Variable& variable : plan->agent.variables) expect_filled(variable.value, {"relay", "token"}, pair);
      for (const Variable& document : plan->agent.documents) expect_filled(document.value, {"relay"}, pair);
      const bool in_argv =
          std::find(plan->agent.argv.begin(), plan->agent.argv.end(), plan->task) != plan->agent.argv.end();
      EXPECT_TRUE(in_argv || plan->agent.input == "{task}") << pair;
      EXPECT_THAT(write_plan_json(*plan), HasSubstr("a \\\"model")) << pair << ": the model goes somewhere";
    }
  }
}

TEST_F(Pairs, the_tables_here_are_whole) {
  const Catalog catalog(scratch_.root() / "none");
  for (const std::string& name : catalog.names("agents")) {
    EXPECT_TRUE(name == "command" || agents.contains(name)) << name;
  }
  for (const std::string& name : catalog.names("providers")) EXPECT_TRUE(providers.contains(name)) << name;
}

TEST(Placeholders, are_filled_in_one_pass) {
  EXPECT_EQ(fill("{a}{b}{c}", {{"a", "{b}"}, {"b", "2"}}), "{b}2{c}");
  EXPECT_EQ(fill("{\"x\": {\"y\": \"{a}\"}, \"{env:K}\": \"\"}", {{"a", "q\"\n"}}),
            "{\"x\": {\"y\": \"q\\\"\\n\"}, \"{env:K}\": \"\"}");
  EXPECT_EQ(fill("{name=\"{a}\"}", {{"a", "1"}, {"name", "2"}}), "{name=\"1\"}");
  EXPECT_EQ(fill("`${a}` {a}", {{"a", "1"}}), "`${a}` 1");
  EXPECT_EQ(fill("{", {}), "{");
  EXPECT_EQ(fill("{a", {{"a", "1"}}), "{a");
  EXPECT_EQ(fill("{A} {} {1}", {{"A", "1"}}), "{A} {} {1}");
}

}  // namespace
}  // namespace sanduk::test
