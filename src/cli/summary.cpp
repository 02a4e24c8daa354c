#include "cli/summary.h"

#include <array>
#include <cstdio>

#include "base/json.h"
#include "base/text.h"
#include "diagnostics/render.h"
#include "engine/ending.h"

namespace sanduk {
namespace {

void write_count(JsonWriter& json, const char* name, const std::optional<std::int64_t>& value) {
  json.key(name);
  if (value) {
    json.integer(*value);
  } else {
    json.null();
  }
}

// "turns=2 in=30 cache_write=0 cache_read=9 out=12 cost=$0.01": what the agent says of itself.
std::string agent_numbers(const AgentResult& agent) {
  std::string text;
  const auto add = [&](const char* name, const std::optional<std::int64_t>& value) {
    if (value) text += (text.empty() ? "" : " ") + std::string(name) + "=" + std::to_string(*value);
  };
  add("turns", agent.turns);
  add("in", agent.input_tokens);
  add("cache_write", agent.cache_write_tokens);
  add("cache_read", agent.cache_read_tokens);
  add("out", agent.output_tokens);
  if (agent.cost_usd) {
    std::array<char, 32> cost{};
    std::snprintf(cost.data(), cost.size(), " cost=$%.4f", *agent.cost_usd);
    text += cost.data();
  }
  return text;
}

// The numbers that both sides have and that are not the same, by their names in both lists.
struct Differing {
  const char* name;
  std::int64_t agent;
  std::int64_t relay;
};

std::vector<Differing> differing_numbers(const RunOutcome& outcome) {
  const AgentResult& agent = outcome.agent;
  const Usage& relay = outcome.relay.usage;
  std::vector<Differing> found;
  const auto compare = [&](const char* name, const std::optional<std::int64_t>& ours,
                           const std::optional<std::int64_t>& theirs) {
    if (ours && theirs && *ours != *theirs) found.push_back({name, *ours, *theirs});
  };
  compare("in", agent.input_tokens, relay.in);
  compare("cache_write", agent.cache_write_tokens, relay.cache_write);
  compare("cache_read", agent.cache_read_tokens, relay.cache_read);
  compare("out", agent.output_tokens, relay.out);
  return found;
}

// "out: 60 by the agent, 80 by the relay"
std::string differing_words(const std::vector<Differing>& numbers) {
  std::vector<std::string> words;
  for (const Differing& number : numbers) {
    words.push_back(std::string(number.name) + ": " + std::to_string(number.agent) + " by the agent, " +
                    std::to_string(number.relay) + " by the relay");
  }
  return join(words, "; ");
}

}  // namespace

std::string outcome_result(const RunOutcome& outcome) {
  if (outcome.agent.text.empty()) return "";
  const std::string text = printable(outcome.agent.text, true);
  return text.ends_with('\n') ? text : text + "\n";
}

std::string outcome_json(const RunOutcome& outcome) {
  JsonWriter json(2);
  json.begin_object();
  json.field("run", outcome.run_id);
  json.field("status", status_word(outcome.status));
  json.field("exit_code", outcome.exit_code);
  json.key("reason");
  if (outcome.diagnostic) {
    json.begin_object()
        .field("code", outcome.diagnostic->code)
        .field("message", outcome.diagnostic->message)
        .end_object();
  } else {
    json.null();
  }
  json.field("seconds", outcome.seconds);
  json.key("agent").begin_object();
  json.field("final_result", outcome.agent.final_record)
      .field("text", outcome.agent.text)
      .field("model", outcome.agent.model);
  write_count(json, "turns", outcome.agent.turns);
  write_count(json, "in", outcome.agent.input_tokens);
  write_count(json, "cache_write", outcome.agent.cache_write_tokens);
  write_count(json, "cache_read", outcome.agent.cache_read_tokens);
  write_count(json, "out", outcome.agent.output_tokens);
  json.key("cost_usd");
  if (outcome.agent.cost_usd) {
    json.number(*outcome.agent.cost_usd);
  } else {
    json.null();
  }
  json.end_object();
  json.key("relay").begin_object();
  json.field("calls", outcome.relay.calls)
      .field("tunnels", outcome.relay.tunnels)
      .field("refused", outcome.relay.refused)
      .field("without_usage", outcome.relay.without_usage);
  write_count(json, "in", outcome.relay.usage.in);
  write_count(json, "cache_write", outcome.relay.usage.cache_write);
  write_count(json, "cache_read", outcome.relay.usage.cache_read);
  write_count(json, "out", outcome.relay.usage.out);
  json.end_object();
  std::vector<std::string> differing;
  for (const Differing& number : differing_numbers(outcome)) differing.emplace_back(number.name);
  json.field("differing", differing);
  json.field("report", outcome.report_file);
  json.field("changed_host_files", outcome.changed_host_files);
  if (outcome.verify_box_held) json.field("verify_box_held", *outcome.verify_box_held);
  if (outcome.verify_code) json.field("verify_exit_code", *outcome.verify_code);
  if (!outcome.collected.empty()) json.field("collected", outcome.collected);
  json.field("record", outcome.record_directory);
  json.end_object();
  return json.text() + "\n";
}

std::string outcome_summary(const RunOutcome& outcome, const Terminal& terminal, bool quiet) {
  std::string text;
  if (outcome.diagnostic) text += render_text(*outcome.diagnostic, {terminal.color});
  if (outcome.status == RunStatus::host_not_ready)
    text += "sanduk: this host is not ready; `sanduk doctor` looks at all that a run needs\n";
  if (quiet) return text;
  const bool started = !outcome.record_directory.empty();
  if (started) {
    text += "sanduk: " + status_word(outcome.status) + " after " + human_seconds(outcome.seconds) + "\n";
    if (const std::string numbers = agent_numbers(outcome.agent); !numbers.empty())
      text += "  agent   " + numbers + "\n";
    if (outcome.relay.calls + outcome.relay.refused > 0) text += "  relay   " + tally_line(outcome.relay) + "\n";
    if (const std::vector<Differing> numbers = differing_numbers(outcome); !numbers.empty())
      text += "  differ  " + differing_words(numbers) + "\n";
    if (!outcome.report_file.empty()) text += "  report  " + printable(outcome.report_file) + "\n";
    if (!outcome.changed_host_files.empty())
      text += "  warning: the agent changed what this host may run or obey; look before you use it:\n";
    for (std::size_t i = 0; i < outcome.changed_host_files.size() && i < 20; ++i)
      text += "          " + printable(outcome.changed_host_files[i]) + "\n";
    if (outcome.changed_host_files.size() > 20)
      text += "          and " + std::to_string(outcome.changed_host_files.size() - 20) + " more, in the record\n";
    for (const std::string& file : outcome.collected) text += "  kept    " + printable(file) + "\n";
    if (outcome.verify_code == 0) text += "  verify  passed, in a box that was looked at first\n";
    text += "  record  " + printable(outcome.record_directory) + "\n";
  }
  return text;
}

}  // namespace sanduk
