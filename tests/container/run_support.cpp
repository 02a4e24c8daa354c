#include "run_support.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "base/text.h"
#include "engine/stop_signals.h"

namespace sanduk::test {
namespace {

constexpr const char* cassette = R"({"route":"POST /v1/messages","status":200,"repeat":true,)"
                                 R"("headers":{"content-type":"application/json"},)"
                                 R"("body":{"type":"message","content":[{"type":"text","text":"hi"}],)"
                                 R"("usage":{"input_tokens":12,"output_tokens":3}}})";

}  // namespace

std::optional<std::string> PlacedWorld::variable(const std::string& name) const {
  if (name == "XDG_STATE_HOME") return (root_ / "state").string();
  if (name == "XDG_RUNTIME_DIR") return (root_ / "runtime").string();
  if (name == "RUN_TEST_KEY") return key;
  return World::variable(name);
}

WholeRun::WholeRun() : world(root_.path()) {
  for (const char* name : {"work", "state", "runtime"}) std::filesystem::create_directory(root_.path() / name);
  if (geteuid() == 0 && chown(workspace().c_str(), 1000, 1000) != 0) throw std::runtime_error("chown");
  std::ofstream(root_.path() / "cassette.jsonl") << cassette << "\n";

  plan.name = "test";
  plan.agent.name = "script";
  plan.agent.variables = {{"API_BASE", "{relay}"}, {"API_TOKEN", "{token}"}};
  plan.agent.token_variable = "API_TOKEN";
  plan.agent.reader = "plain";
  plan.image.ref = "docker.io/library/node:22-slim";
  plan.workspace.host_path = workspace();
  plan.workspace.report = "REPORT.md";
  plan.engines = {test_engine()};
  plan.user = {geteuid() == 0 ? 1000 : static_cast<std::int64_t>(geteuid()),
               geteuid() == 0 ? 1000 : static_cast<std::int64_t>(getegid())};
  plan.limits = {1, std::int64_t{256} << 20, 128, 60};
  plan.relay.provider = "replay";
  plan.relay.cassette = root_.path() / "cassette.jsonl";
  plan.relay.auth_header = "x-api-key";
  plan.relay.key_source = "none";
  plan.relay.routes = {{{"POST"}, "/v1/messages", Protocol::anthropic_messages, true}};
}

std::string WholeRun::ask(const std::string& path) {
  return "node -e '"
         "fetch(process.env.API_BASE + \"" +
         path +
         "\", {method: \"POST\","
         " headers: {\"x-api-key\": process.env.API_TOKEN, \"content-type\": \"application/json\"},"
         " body: JSON.stringify({model: \"m\", max_tokens: 9, messages: []})})"
         ".then(async r => console.log(r.status, await r.text()))'; ";
}

RunOutcome WholeRun::run() { return execute(plan, "{\"plan\":\"test\"}", world, listeners); }

int WholeRun::run_and_signal(int signal, const std::function<bool(const Event&)>& when,
                             std::chrono::milliseconds delay) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const StopSignals signals;
    world.stop_fd = signals.fd();
    listeners.add([&](const Event& event) {
      if (when(event)) write_all(ends[1], "!");
    });
    _exit(run().exit_code);
  }
  close(ends[1]);
  char byte = 0;
  const bool reached = read(ends[0], &byte, 1) == 1;
  close(ends[0]);
  if (reached) {
    std::this_thread::sleep_for(delay);
    kill(child, signal);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!reached) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::filesystem::path WholeRun::record_directory() const {
  for (const auto& entry : std::filesystem::directory_iterator(state() / "runs")) return entry.path();
  throw std::runtime_error("no record");
}

std::string WholeRun::engine(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {test_engine().program};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  World plain;
  const ProcessResult result = plain.run({.argv = argv, .variables = {}, .input = {}}, std::chrono::seconds(60));
  return result.output + result.errors;
}

std::string WholeRun::containers() {
  return engine({"ps", "--all", "--filter", "label=sanduk.state=" + state().string(), "--format", "{{.Names}}"});
}

std::string WholeRun::networks() {
  return engine({"network", "ls", "--filter", "label=sanduk.state=" + state().string(), "--format", "{{.Name}}"});
}

std::string WholeRun::left_over() {
  std::string words = containers();
  for (const std::filesystem::path& directory : {root_.path() / "runtime", state() / "live"}) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
      words += entry.path().string() + "\n";
  }
  return words;
}

}  // namespace sanduk::test
