#include "container/engine_ready.h"

#include "base/text.h"
#include "container/engine_facts.h"

namespace sanduk {
namespace {

using State = EngineAnswer::State;

bool mentions(const std::string& text, std::string_view words) { return lower(text).find(words) != std::string::npos; }

bool any_of(const std::string& text, std::initializer_list<std::string_view> all) {
  for (const std::string_view words : all) {
    if (mentions(text, words)) return true;
  }
  return false;
}

std::string last_line(const std::string& text) {
  const std::string_view all = trim(text);
  return printable(all.substr(all.rfind('\n') + 1).substr(0, 300));
}

}  // namespace

std::vector<std::string> ready_command(const std::string& engine) {
  const EngineFacts& facts = engine_facts(engine);
  std::vector<std::string> argv = {facts.program};
  argv.insert(argv.end(), facts.ready.begin(), facts.ready.end());
  return argv;
}

EngineAnswer read_ready(const std::string& engine, const ProcessResult& result) {
  const EngineFacts& facts = engine_facts(engine);
  const std::string version(trim(result.output));
  if (result.ok() && !version.empty() && version.front() >= '0' && version.front() <= '9') {
    return {State::ready, version, engine + " " + version, "", ""};
  }
  const std::string detail = last_line(result.errors);
  if (!result.started) {
    return {State::not_installed, "", engine + " is not installed", printable(result.error),
            "install " + engine + ", or name another engine in engine.name"};
  }
  if (result.timed_out) return {State::silent, "", engine + " gave no answer in time", detail, facts.start_hint};
  if (mentions(result.errors, "permission denied")) {
    return {State::forbidden, "", engine + " does not let this user in", detail, facts.permission_hint};
  }
  if (any_of(result.errors, {"cannot connect", "is the docker daemon running", "connection refused", "no such file"})) {
    return {State::stopped, "", engine + " is installed, but its daemon does not run", detail, facts.start_hint};
  }
  return {State::failing, "", engine + " failed when it was asked for its version", detail, facts.start_hint};
}

}  // namespace sanduk
