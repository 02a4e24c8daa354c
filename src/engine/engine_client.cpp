#include "engine/engine_client.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "base/text.h"
#include "engine/codes.h"

namespace sanduk {
namespace {

using Clock = std::chrono::steady_clock;

bool mentions(const std::string& text, std::string_view words) { return lower(text).find(words) != std::string::npos; }

bool says_no_such(const PlannedEngine& engine, const ProcessResult& result) {
  if (engine.dialect == "apple") return mentions(result.errors, "not found") || mentions(result.errors, "notfound");
  // Not just "no such": a missing socket of the daemon is "no such file".
  for (const char* words : {"no such image", "no such container", "no such object", "image not known"}) {
    if (mentions(result.errors, words)) return true;
  }
  return false;
}

}  // namespace

RunError engine_fault(const PlannedEngine& engine, const ProcessResult& result) {
  const std::string program = "`" + engine.program + "`";
  if (!result.started) {
    Diagnostic diagnostic = error(std::string(codes::engine_missing), program + " is not installed");
    diagnostic.note(result.error).with_help("install " + engine.name + ", or name another engine in engine.name");
    return {Failure::host, diagnostic};
  }
  Diagnostic diagnostic;
  if (mentions(result.errors, "permission denied")) {
    diagnostic = error(std::string(codes::engine_denied), program + " does not let this user in");
    diagnostic.with_help(engine.permission_hint);
  } else {
    const std::string why = result.timed_out ? "gave no answer within " + human_seconds(engine_patience.count())
                                             : "is installed, but its daemon does not answer";
    diagnostic = error(std::string(codes::engine_stopped), program + " " + why);
    diagnostic.with_help(engine.start_hint);
  }
  if (const std::string words = last_words(result); !words.empty()) diagnostic.note(words);
  return {Failure::host, diagnostic};
}

bool has_rootless_limits(World& world, const PlannedEngine& engine) {
  const ProcessResult result = world.run(
      {.argv = {engine.program, "info", "--format", "{{.Host.CgroupControllers}}"}, .variables = {}, .input = {}},
      engine_patience);
  return result.ok() && mentions(result.output, "memory") && mentions(result.output, "pids");
}

FoundImage inspect_image(World& world, const PlannedEngine& engine, const std::string& ref) {
  const ProcessResult result =
      world.run({.argv = inspect_image_command(engine, ref), .variables = {}, .input = {}}, engine_patience);
  if (!result.ok()) {
    if (result.started && !result.timed_out && says_no_such(engine, result)) return {};
    throw engine_fault(engine, result);
  }
  const ImageAnswer answer = read_image(result.output, engine);
  return {.exists = true, .id = answer.id, .agent_uid = answer.agent_uid};
}

FoundEngine find_engine(const Plan& plan, World& world) {
  std::optional<RunError> first;
  std::vector<std::string> others;
  for (const PlannedEngine& engine : plan.engines) {
    try {
      return {engine, inspect_image(world, engine, plan.image.ref)};
    } catch (const RunError& error) {
      // One that is there but does not answer says more than one that is missing.
      const bool better =
          !first || (first->diagnostic.code == codes::engine_missing && error.diagnostic.code != codes::engine_missing);
      if (first) others.push_back(better ? first->diagnostic.message : error.diagnostic.message);
      if (better) first = error;
    }
  }
  if (!first) throw RunError(Failure::internal, error(std::string(codes::internal_error), "the plan names no engine"));
  for (const std::string& other : others) first->diagnostic.note("also tried: " + other);
  throw RunError(*first);
}

std::optional<ContainerState> inspect_container(World& world, const BoxNames& names) {
  const ProcessResult result =
      world.run({.argv = inspect_state_command(names), .variables = {}, .input = {}}, engine_patience);
  if (!result.ok()) return std::nullopt;
  const StateAnswer answer = read_state(result.output, names.engine);
  if (answer.status.empty()) return std::nullopt;
  return ContainerState{answer.status, answer.exit_code, answer.out_of_memory};
}

bool remove_container(World& world, const BoxNames& names, bool may_still_appear) {
  constexpr std::chrono::seconds patience(30);
  constexpr std::chrono::seconds appears_within(3);
  const Clock::time_point begin = Clock::now();
  std::chrono::milliseconds pause(50);
  for (;;) {
    const ProcessResult result =
        world.run({.argv = remove_command(names), .variables = {}, .input = {}}, engine_patience);
    // An engine prints the name of what it removed. With --force, newer ones call it a success that nothing was there.
    const bool removed = result.ok() && result.output.find(names.run_id) != std::string::npos;
    const bool was_missing =
        result.started && !result.timed_out && !removed && (result.ok() || says_no_such(names.engine, result));
    const auto spent = Clock::now() - begin;
    if (removed || (was_missing && (!may_still_appear || spent >= appears_within))) return true;
    if (!was_missing && spent >= patience) return false;
    if (!result.started) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(500));
  }
}

bool remove_network(World& world, const BoxNames& names, bool may_still_appear) {
  constexpr int most_tries = 20;
  constexpr int appears_within = 12;  // tries
  BoxNames holder = names;
  holder.run_id = holder_name(names);
  if (names.engine.needs_holder && !remove_container(world, holder, may_still_appear)) return false;
  for (int tries = 0; tries < most_tries; ++tries) {
    const ProcessResult removed =
        world.run({.argv = remove_network_command(names), .variables = {}, .input = {}}, engine_patience);
    const bool missing = mentions(removed.errors, "not found") || mentions(removed.errors, "no such network");
    if (removed.ok()) return true;
    if (removed.started && !removed.timed_out && missing && (!may_still_appear || tries >= appears_within)) return true;
    if (!removed.started) return false;
    // A box that has just ended may still be counted in.
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
  }
  return false;
}

std::string last_words(std::string_view output) {
  constexpr std::size_t most_lines = 12;
  constexpr std::size_t most_bytes = 4096;
  std::string_view end = trim(output);
  if (end.size() > most_bytes) end = end.substr(end.size() - most_bytes);
  std::vector<std::string> lines = split(end, '\n');
  if (lines.size() > most_lines) lines.erase(lines.begin(), lines.end() - most_lines);
  return printable(join(lines, "\n"), true);
}

std::string last_words(const ProcessResult& result) {
  if (!result.started) return result.error;
  return last_words(trim(result.errors).empty() ? result.output : result.errors);
}

}  // namespace sanduk
