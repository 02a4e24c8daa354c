// Every real agent that can be had from npm, in a sealed box, for each protocol that it speaks: it does a task that it
// cannot fake, with what it is told by files of the host, and its numbers are the relay's. Then what a user sees when
// the provider or the budget fails it. On Docker all of it; on Podman, with root and without, some of each.
// The provider is a script behind real TLS: what this does not prove is that a paid model answers as the script does.
#include <gtest/gtest.h>
#include <sys/file.h>

#include <fstream>
#include <iostream>
#include <map>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "box_support.h"
#include "catalog/catalog.h"
#include "plan/plan_json.h"
#include "scripted_model.h"
#include "support/test_authority.h"

namespace sanduk::test {
namespace {

using Kind = ScriptedFault::Kind;

struct Pair {
  std::string agent;
  std::string provider;
  std::string protocol;
};

std::ostream& operator<<(std::ostream& out, const Pair& pair) { return out << pair.agent << " " << pair.protocol; }

// One whole `sanduk apply` of an agent against a model that a test scripts.
class AgentRun {
 public:
  AgentRun(const Pair& pair, const std::string& caps, ScriptedFault fault = {}) : model_(fault) {
    const std::filesystem::path work = root_.path() / "work";
    std::filesystem::create_directories(work);
    nonce_ = random_hex(16);
    std::ofstream(work / "nonce.txt") << nonce_;
    std::ofstream(work / "digest.sh") << "echo digest=$(sha256sum nonce.txt | cut -d' ' -f1)\n";
    std::ofstream profile(root_.path() / "profile.toml");
    profile << "version = 1\n"
            << "task = \"Run `sh digest.sh` and put the digest that it prints into REPORT.md.\"\n"
            << "[provider]\nname = \"" << pair.provider << "\"\n"
            << "upstream = \"https://localhost:" << upstream_.port() << "\"\nkey = \"env:AGENTS_TLS_KEY\"\n"
            << "[agent]\nname = \"" << pair.agent << "\"\nmodel = \"model-1\"\n"
            << told_by_files(pair.agent) << "[engine]\nname = \"" << test_engine().name << "\"\n"
            << "[workspace]\npath = \"work\"\n"
            << "[caps]\n"
            << (caps.find("timeout") == std::string::npos ? "timeout = \"4m\"\n" : "") << caps << "\n";
    profile.close();
    upstream_.answer_with([this](const ScriptedRequest& request) { return model_.answer(request); });
  }

  void run() {
    const int lock = hold_image_lock();
    const Stopwatch watch;
    result_ = tool({"apply", "--json", profile()}, std::chrono::minutes(9));
    seconds_ = watch.seconds();
    if (lock >= 0) close(lock);
    outcome_ = parse_json_object(result_.output);
  }

  std::string report() const {
    std::ifstream stream(root_.path() / "work/REPORT.md", std::ios::binary);
    return std::string(trim(std::string{std::istreambuf_iterator<char>(stream), {}}));
  }
  std::string digest() const { return sha256_hex(nonce_); }
  // Words of the host's files that the model did not hear of.
  std::string unheard() const {
    std::string words;
    for (const auto& [what, word] : told_) {
      if (!model_.heard(word)) words += what + " ";
    }
    return words;
  }
  std::size_t told() const { return told_.size(); }

  const ProcessResult& result() const { return result_; }
  double seconds() const { return seconds_; }
  const ScriptedModel& model() const { return model_; }
  Poco::JSON::Object::Ptr part(const char* name) const { return json_object(outcome_, name); }
  std::string reason() const { return json_text(json_object(outcome_, "reason"), "code").value_or("none"); }

 private:
  class Stopwatch {
   public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

   private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  };

  std::string profile() const { return (root_.path() / "profile.toml").string(); }

  // Standing instructions and a skill, for an agent that has a place for them: each with a word that nobody can guess.
  std::string told_by_files(const std::string& name) {
    Diagnostics problems;
    const auto agent = Catalog("/nonexistent").agent(name, {}, problems);
    std::string settings;
    if (agent && agent->instructions_path.is_set()) {
      told_["instructions"] = random_hex(12);
      std::ofstream(root_.path() / "team.md") << "The team's word is " << told_["instructions"] << ".\n";
      settings += "instructions = \"team.md\"\n";
    }
    if (agent && agent->skills_path.is_set()) {
      told_["skills"] = random_hex(12);
      const std::filesystem::path skill = root_.path() / "skills/count-stars";
      std::filesystem::create_directories(skill);
      std::ofstream(skill / "SKILL.md") << "---\nname: count-stars\ndescription: Counts stars, as " << told_["skills"]
                                        << " does.\n---\nCount the stars.\n";
      settings += "skills = \"skills\"\n";
    }
    return settings;
  }

  ProcessResult tool(std::vector<std::string> words, std::chrono::milliseconds patience) {
    const char* other = std::getenv("SANDUK_TEST_TOOL");
    words.insert(words.begin(), other == nullptr ? SANDUK_BINARY : other);
    Command command{words, {}, {}, false};
    command.variables = {{"SSL_CERT_FILE", authority_.certificate_file()},
                         {"AGENTS_TLS_KEY", "Qm7Zx81Kq0vT5nR7yWc3Jd9Lh2PfUs6B"},
                         {"XDG_STATE_HOME", (root_.path() / "state").string()}};
    return run_process(command, patience);
  }

  // Of two tests that lack the same image, one builds it and the other waits. Held only where there is one to build.
  int hold_image_lock() {
    const Poco::JSON::Object::Ptr plan =
        parse_json_object(tool({"plan", "--json", profile()}, std::chrono::minutes(1)).output);
    const std::string image = json_text(json_object(plan, "image"), "ref").value_or("");
    const auto have = [&] {
      return run_process({{test_engine().program, "image", "inspect", image}, {}, {}, false}, std::chrono::seconds(60))
          .ok();
    };
    if (have()) return -1;
    std::string name = image;
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
    const std::string file =
        (std::filesystem::temp_directory_path() /
         ("sanduk-test-" + test_engine().name + "-" + std::to_string(geteuid()) + "-" + name + ".lock"))
            .string();
    const int lock = open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (lock >= 0) flock(lock, LOCK_EX);
    return lock;
  }

  TemporaryDirectory root_;
  TestAuthority authority_;
  ScriptedModel model_;
  ScriptedUpstream upstream_{authority_.issue({"DNS:localhost"})};
  std::string nonce_;
  std::map<std::string, std::string> told_;  // by setting of [agent]
  ProcessResult result_;
  double seconds_ = 0;
  Poco::JSON::Object::Ptr outcome_;
};

std::string count(const Poco::JSON::Object::Ptr& object, const char* name) {
  const auto value = json_integer(object, name);
  return value ? std::to_string(*value) : "-";
}

std::string engine_words() { return test_engine().name + (geteuid() == 0 ? "" : ", rootless"); }

class Agents : public testing::TestWithParam<Pair> {
 protected:
  void SetUp() override { SANDUK_NEEDS_BOXES(); }
};

std::string name_of(const testing::TestParamInfo<Pair>& info) {
  std::string name = info.param.agent + "_" + info.param.protocol;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

TEST_P(Agents, DoTheTaskThatCannotBeFaked) {
  AgentRun run(GetParam(), "");
  run.run();
  ASSERT_EQ(run.result().exit_code, 0) << run.result().errors << run.result().output;
  EXPECT_EQ(run.report(), run.digest());
  EXPECT_EQ(run.unheard(), "");

  const auto agent = run.part("agent");
  const auto relay = run.part("relay");
  EXPECT_EQ(json_boolean(agent, "final_result"), true);
  EXPECT_NE(json_text(agent, "text").value_or("").find("The digest is in REPORT.md."), std::string::npos);
  EXPECT_GE(json_integer(relay, "calls").value_or(0), 3);
  EXPECT_EQ(json_integer(relay, "without_usage"), 0);
  EXPECT_EQ(json_integer(relay, "out"), run.model().answers() * ScriptedModel::output_tokens);
  // Calls beside the work, such as one for a title, are the relay's alone; what the agent counts is never more.
  const auto out = json_integer(agent, "out");
  if (out) {
    EXPECT_GE(*out, 3 * ScriptedModel::output_tokens);
    EXPECT_LE(*out, json_integer(relay, "out").value_or(0));
  }
  // Where the two sides' numbers are not the same, the user is told.
  for (const char* name : {"in", "cache_read", "out"}) {
    const bool differs =
        json_integer(agent, name) && json_integer(relay, name) && count(agent, name) != count(relay, name);
    EXPECT_EQ(run.result().output.find("\"" + std::string(name) + "\"", run.result().output.find("\"differing\"")) <
                  run.result().output.find("\"report\""),
              differs)
        << name;
    EXPECT_EQ(run.result().errors.find(std::string(name) + ": " + count(agent, name) + " by the agent, " +
                                       count(relay, name) + " by the relay") != std::string::npos,
              differs)
        << name << run.result().errors;
  }
  std::printf("matrix | %s | %s | %s | %d of %d | %s | %s / %s / %s | %s | %s / %s / %s | %.1f |\n",
              GetParam().agent.c_str(), GetParam().protocol.c_str(), engine_words().c_str(), run.model().streamed(),
              run.model().answers(), count(agent, "turns").c_str(), count(agent, "in").c_str(),
              count(agent, "cache_read").c_str(), count(agent, "out").c_str(), count(relay, "calls").c_str(),
              count(relay, "in").c_str(), count(relay, "cache_read").c_str(), count(relay, "out").c_str(),
              run.seconds());
}

INSTANTIATE_TEST_SUITE_P(
    Npm, Agents,
    testing::Values(Pair{"claude", "anthropic", "anthropic-messages"}, Pair{"codex", "openai", "openai-responses"},
                    Pair{"opencode", "anthropic", "anthropic-messages"}, Pair{"opencode", "openai", "openai-chat"},
                    Pair{"pi", "anthropic", "anthropic-messages"}, Pair{"pi", "openai", "openai-responses"},
                    Pair{"pi", "openrouter", "openai-chat"}, Pair{"qwen", "openai", "openai-chat"},
                    Pair{"copilot", "anthropic", "anthropic-messages"}, Pair{"copilot", "openai", "openai-responses"},
                    Pair{"copilot", "openrouter", "openai-chat"}, Pair{"gemini", "gemini", "gemini-generate"}),
    name_of);

// What a user sees when something fails, one agent each.
class AgentFaults : public Agents {
 protected:
  // The line that says why, without its code.
  static std::string first_fault(const std::string& errors) {
    const std::size_t begin = errors.find("error[");
    if (begin == std::string::npos) return "";
    const std::string line = errors.substr(begin, errors.find('\n', begin) - begin);
    return replace_all(line.substr(line.find("]: ") + 3), "|", "/");
  }
  void show(const char* fault, const AgentRun& run) const {
    std::printf("fault | %s | %s | %d | %s | %.1f | %s |\n", GetParam().agent.c_str(), fault, run.result().exit_code,
                run.reason().c_str(), run.seconds(), first_fault(run.result().errors).c_str());
  }
};

TEST_P(AgentFaults, AModelThatIsNotThere) {
  AgentRun run(GetParam(), "", {Kind::bad_model, -1});
  run.run();
  show("bad model", run);
  // Gemini CLI ends with the HTTP status, of which eight bits arrive.
  EXPECT_EQ(run.result().exit_code, GetParam().agent == "gemini" ? 404 % 256 : 1) << run.result().errors;
  EXPECT_EQ(run.reason(), "agent-failed");
  EXPECT_LT(run.seconds(), 60);
  EXPECT_EQ(run.report(), "");
}

// One refusal with a time to wait: the agent comes again and does the work.
TEST_P(AgentFaults, TooManyRequestsForAMoment) {
  AgentRun run(GetParam(), "", {Kind::too_many_requests, 1});
  run.run();
  show("429 once", run);
  EXPECT_EQ(run.result().exit_code, 0) << run.result().errors;
  EXPECT_EQ(run.report(), run.digest());
  EXPECT_LT(run.seconds(), 60);
}

// A stream that breaks must never pass for a whole answer: the agent asks again.
TEST_P(AgentFaults, AStreamThatIsCutOnce) {
  AgentRun run(GetParam(), "", {Kind::cut_stream, 1});
  run.run();
  show("cut once", run);
  if (GetParam().agent == "gemini") {
    // Gemini CLI gives up at once, and says so.
    EXPECT_EQ(run.result().exit_code, 1) << run.result().errors;
    EXPECT_EQ(run.reason(), "agent-failed");
    return;
  }
  EXPECT_EQ(run.result().exit_code, 0) << run.result().errors;
  EXPECT_EQ(run.report(), run.digest());
}

TEST_P(AgentFaults, ASpentBudgetStopsItWithinSeconds) {
  AgentRun run(GetParam(), "calls = 2");
  run.run();
  show("budget", run);
  EXPECT_EQ(run.result().exit_code, 4) << run.result().errors;
  EXPECT_EQ(run.reason(), "budget-spent");
  EXPECT_NE(run.result().errors.find("the run's budget of 2 model calls is spent"), std::string::npos)
      << run.result().errors;
  EXPECT_EQ(json_integer(run.part("relay"), "calls"), 2);
}

TEST_P(AgentFaults, ATimeoutStillCountsWhatWasSpent) {
  AgentRun run(GetParam(), "timeout = \"20s\"", {Kind::silence, -1, 1});
  run.run();
  show("timeout", run);
  EXPECT_EQ(run.result().exit_code, 124) << run.result().errors;
  EXPECT_EQ(run.reason(), "timed-out");
  EXPECT_NE(run.result().errors.find("still at work after 20.0s"), std::string::npos) << run.result().errors;
  EXPECT_EQ(json_integer(run.part("relay"), "out"), ScriptedModel::output_tokens);
}

INSTANTIATE_TEST_SUITE_P(
    Npm, AgentFaults,
    testing::Values(Pair{"claude", "anthropic", "anthropic-messages"}, Pair{"codex", "openai", "openai-responses"},
                    Pair{"opencode", "openai", "openai-chat"}, Pair{"pi", "openai", "openai-responses"},
                    Pair{"qwen", "openai", "openai-chat"}, Pair{"copilot", "openai", "openai-responses"},
                    Pair{"gemini", "gemini", "gemini-generate"}),
    name_of);

}  // namespace
}  // namespace sanduk::test
