#include "cli/engine_choice.h"

#include <algorithm>

#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/exit_code.h"
#include "diagnostics/render.h"
#include "engine/engine_client.h"
#include "resolve/engine.h"

namespace sanduk {

std::optional<EngineChoice> choose_engines(const Invocation& call, World& world, Diagnostics& problems) {
  const Catalog catalog(world.config_directory("sanduk"));
  const Entry* table = call.line.settings.root.find("engine");
  const Entry* name = table == nullptr ? nullptr : table->value.find("name");
  EngineChoice choice;
  if (name == nullptr || name->value.text == "auto") {
    choice.engines = engines_for(catalog, this_platform(), problems);
  } else {
    const Origin origin{Layer::flag, name->value.span, world.current_directory()};
    const std::optional<EngineRecord> record = catalog.engine(name->value.text, origin, problems);
    if (record) choice.engines = {planned_engine(*record)};
    choice.named = true;
  }
  if (problems.has_errors()) return std::nullopt;
  return choice;
}

int report_host_faults(const std::vector<Diagnostic>& faults, const Terminal& terminal) {
  for (const Diagnostic& fault : faults) print_message(render_text(fault, {terminal.color}));
  return exit_host_not_ready;
}

EngineAnswer ask_engine(World& world, const PlannedEngine& engine) {
  EngineAnswer answer;
  std::vector<std::string> argv = engine.ready;
  argv.insert(argv.begin(), engine.program);
  const ProcessResult result = world.run({.argv = argv, .variables = {}, .input = {}}, engine_patience);
  answer.installed = result.started;
  answer.ready = result.ok() && !trim(result.output).empty();
  if (answer.ready) {
    answer.version = printable(std::string(trim(split(trim(result.output), '\n').at(0))));
  } else {
    answer.fault = engine_fault(engine, result).diagnostic;
  }
  return answer;
}

std::string columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], printable(row[i]).size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string word = printable(row[i]);
      if (i + 1 < row.size()) word.resize(widths[i] + 2, ' ');
      line += word;
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace sanduk
