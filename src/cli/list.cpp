// sanduk list agents|providers|runtimes|profiles
#include "base/embedded.h"
#include "base/json.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/engine_choice.h"
#include "cli/exit_code.h"
#include "profile/load.h"
#include "resolve/agent_record.h"
#include "resolve/engine.h"

namespace sanduk {
namespace {

// One row of a list: names of columns and their values, the first two for the text form.
using Row = std::vector<std::pair<std::string, std::string>>;

std::vector<Row> agent_rows(const Catalog& catalog, Diagnostics& problems) {
  std::vector<Row> rows;
  for (const std::string& name : catalog.names("agents")) {
    const std::optional<AgentRecord> agent = catalog.agent(name, {}, problems);
    if (!agent) continue;
    check_agent_record(*agent, problems);
    std::vector<std::string> options;
    for (const auto& [option, words] : *agent->argv_with) options.push_back(option);
    const std::string& unproved = *agent->unproved;
    rows.push_back(
        {{"name", name},
         {"summary", *agent->summary + (unproved.empty() ? "" : " (not run by our tests: " + unproved + ")")},
         {"unproved", unproved},
         {"protocols", join(texts(*agent->protocols), ", ")},
         {"options", join(options, ", ")},
         {"version", *agent->image_version}});
  }
  return rows;
}

std::vector<Row> provider_rows(const Catalog& catalog, Diagnostics& problems) {
  std::vector<Row> rows;
  for (const std::string& name : catalog.names("providers")) {
    const std::optional<ProviderRecord> provider = catalog.provider(name, {}, problems);
    if (!provider) continue;
    rows.push_back({{"name", name},
                    {"summary", *provider->summary},
                    {"upstream", *provider->upstream},
                    {"key", *provider->key_variable},
                    {"base_url", *provider->base_url}});
  }
  return rows;
}

std::vector<Row> engine_rows(const Catalog& catalog, World& world, Diagnostics& problems) {
  std::vector<Row> rows;
  for (const std::string& name : catalog.names("engines")) {
    const std::optional<EngineRecord> engine = catalog.engine(name, {}, problems);
    if (!engine) continue;
    const EngineAnswer answer = ask_engine(world, planned_engine(*engine));
    rows.push_back({{"name", name},
                    {"summary", *engine->summary},
                    {"installed", answer.installed ? "yes" : "no"},
                    {"ready", answer.ready ? "yes" : "no"},
                    {"version", answer.version}});
  }
  return rows;
}

std::vector<Row> profile_rows() {
  std::vector<Row> rows;
  for (const std::string& name : built_in_profiles()) {
    // The comment that opens a shipped profile says when to use it.
    const std::string text(embedded_file("profiles/" + name + ".toml").value_or(""));
    std::string summary;
    for (const std::string& line : split(text, '\n')) {
      if (line.starts_with("# ")) summary += (summary.empty() ? "" : " ") + line.substr(2);
      if (!line.starts_with("#")) break;
    }
    rows.push_back({{"name", "sanduk:" + name}, {"summary", summary}});
  }
  return rows;
}

std::string rows_json(const std::string& kind, const std::vector<Row>& rows) {
  JsonWriter json(2);
  json.begin_object().key(kind).begin_array();
  for (const Row& row : rows) {
    json.begin_object();
    for (const auto& [name, value] : row) json.field(name, value);
    json.end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

std::string rows_text(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    std::string line =
        row[0].second + std::string(row[0].second.size() < 16 ? 16 - row[0].second.size() : 1, ' ') + row[1].second;
    for (std::size_t i = 2; i < row.size(); ++i) {
      if (!row[i].second.empty()) line += "  (" + row[i].first + ": " + row[i].second + ")";
    }
    text += printable(line) + "\n";
  }
  return text;
}

}  // namespace

int run_list(const Invocation& call, World& world) {
  Diagnostics problems;
  const Catalog catalog(world.config_directory("sanduk"));
  const std::string kind = call.words[0] == "runtimes" ? "engines" : call.words[0];  // the original's word
  std::vector<Row> rows;
  if (kind == "agents") {
    rows = agent_rows(catalog, problems);
  } else if (kind == "providers") {
    rows = provider_rows(catalog, problems);
  } else if (kind == "engines") {
    rows = engine_rows(catalog, world, problems);
  } else if (kind == "profiles") {
    rows = profile_rows();
  } else {
    problems.add(error("usage", "there is no list of `" + printable(kind) + "`")
                     .at(call.span_of_word(0))
                     .with_help("lists: agents, providers, runtimes, profiles"));
    return report_problems(problems, call.terminal);
  }
  print_result(call.has("--json") ? rows_json(kind, rows) : rows_text(rows));
  return report_problems(problems, call.terminal);
}

}  // namespace sanduk
