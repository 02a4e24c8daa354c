// sanduk init [FILE]: a commented profile for this directory, every setting in it. Asks nothing, overwrites nothing.
#include <algorithm>
#include <cerrno>

#include "agents/agent_reader.h"
#include "base/files.h"
#include "base/text.h"
#include "catalog/records.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "profile/profile_fields.h"

namespace sanduk {
namespace {

// What a first profile says; everything else stands in it as a comment.
std::vector<std::pair<std::string, std::string>> first_settings(const std::filesystem::path& directory) {
  const std::string name = directory.filename().string();
  return {
      {"version", "1"},
      {"name", toml_string(name.empty() ? "first" : printable(name))},
      {"task",
       toml_string("Read the code in this directory and write a short report: what it does, what is wrong with it.")},
      {"provider.name", "\"anthropic\""},
      {"agent.name", "\"claude\""},
      {"workspace.path", "\".\""},
      {"workspace.report", "\"REPORT.md\""},
      {"network.mode", "\"sealed\""},
      {"caps.timeout", "\"15m\""},
      {"caps.calls", "100"},
  };
}

// What a first descriptor of an agent says.
std::vector<std::pair<std::string, std::string>> first_agent(const std::string& name) {
  return {
      {"name", toml_string(name)},
      {"summary", "\"what it is, in a few words\""},
      {"protocols", "[\"openai-chat\"]"},
      {"reader", "\"plain\""},
      {"argv", "[" + toml_string(name) + ", \"--headless\", \"{settings}\"]"},
      {"input", "\"{task}\""},
      {"argv_with", "{ model = [\"--model\", \"{model}\"] }"},
      {"endpoint.base_url_variable", "\"OPENAI_BASE_URL\""},
      {"endpoint.base_url", "\"{relay}{api_prefix}\""},
      {"endpoint.key_variable", "\"OPENAI_API_KEY\""},
      {"variables", "{ NO_COLOR = \"1\" }"},
  };
}

// Every setting of a table: chosen ones as they are, the others as comments at their defaults.
template <class Record>
std::string commented(const FieldTable<Record>& table,
                      const std::vector<std::pair<std::string, std::string>>& settings) {
  const Record defaults{};
  std::string text;
  std::string parent;
  // Keys of the top level stand before the first table.
  for (const bool top : {true, false}) {
    for (const Field<Record>& field : table) {
      const std::size_t dot = field.path.find('.');
      if (top != (dot == std::string::npos)) continue;
      const std::string here = top ? "" : field.path.substr(0, dot);
      if (here != parent) text += "\n[" + here + "]\n";
      parent = here;
      const auto chosen =
          std::find_if(settings.begin(), settings.end(), [&](const auto& one) { return one.first == field.path; });
      std::string value = chosen != settings.end() ? chosen->second : field.value(defaults);
      if (value == "{}") value = "{ NAME = \"value\" }";  // the default is no value at all
      const std::string line =
          (chosen != settings.end() ? "" : "# ") + (top ? field.path : field.path.substr(dot + 1)) + " = " + value;
      text += line + std::string(line.size() < 44 ? 44 - line.size() : 1, ' ') + "# " + field.help + "\n";
    }
  }
  return text;
}

std::string profile_text(const std::filesystem::path& directory) {
  return "# A profile of sanduk. Check it: sanduk validate FILE; see what it does: sanduk plan FILE; do it: sanduk "
         "apply "
         "FILE.\n"
         "# Lines that begin with `# key =` are settings at their defaults. `sanduk schema profile` prints a schema "
         "for "
         "editors.\n" +
         commented(profile_fields(), first_settings(directory));
}

std::string agent_text(const std::string& name) {
  return "# An agent for sanduk: agent.name = \"./FILE\" in a profile, or put it into ~/.config/sanduk/agents/.\n"
         "# `sanduk plan` shows what becomes of it. Words in braces stand for values: {task}, {model}, {relay} (the "
         "relay's\n"
         "# root), {api_prefix} (the provider's, such as /v1), {base_url}, {key_variable}, {documents}, {settings} "
         "(where\n"
         "# argv_with goes), {token} (in variables only), and the words of [protocol.NAME].\n"
         "# Readers: " +
         join(agent_reader_formats(), ", ") + ".\n" + commented(agent_fields(), first_agent(name));
}

// FILE of `--agent FILE`; any other setting on the line is a fault.
std::optional<ListItem> agent_file(const Invocation& call, Diagnostics& problems) {
  std::optional<ListItem> file;
  for (const Entry& entry : call.line.settings.root.entries) {
    const Entry* name = entry.key == "agent" ? entry.value.find("name") : nullptr;
    if (name != nullptr && entry.value.entries.size() == 1 && call.words.empty()) {
      file = ListItem{name->value.text, name->value.span};
      continue;
    }
    problems.add(error("unknown-flag", "`sanduk init` takes a file, or --agent and a file")
                     .at(entry.key_span)
                     .with_help("see `sanduk init --help`"));
  }
  return file;
}

}  // namespace

int run_init(const Invocation& call, World& world) {
  Diagnostics problems;
  const std::optional<ListItem> agent = agent_file(call, problems);
  if (problems.has_errors()) return report_problems(problems, call.terminal);
  const std::string name = agent ? agent->text : call.words.empty() ? "sanduk.toml" : call.words[0];
  const Span place = agent ? agent->span : call.words.empty() ? call.line.word_spans.at(0) : call.span_of_word(0);
  const std::filesystem::path file = world.current_directory() / name;
  if (!name.ends_with(".toml")) {
    problems.add(
        error("unknown-format", "`" + name + "` is not a .toml file").at(place).with_help("name it NAME.toml"));
    return report_problems(problems, call.terminal);
  }
  const std::string text = agent ? agent_text(file.stem().string()) : profile_text(resolved(file).parent_path());
  FileResult<FileDescriptor> made = create_file(file, 0644);
  if (!made || !write_all(made->get(), text)) {
    const bool exists = !made && made.error().code == EEXIST;
    Diagnostic problem = exists ? error("file-exists", "`" + name + "` is there already")
                                : error("unwritable-file", made ? "cannot write `" + name + "`" : made.error().message);
    problem.at(place);
    problems.add(problem.with_help(exists ? "name another file: sanduk init NAME.toml"
                                          : "choose a directory that you may write"));
    return report_problems(problems, call.terminal);
  }
  print_message("wrote " + printable(name) +
                (agent ? "; look at it, and name it in a profile: agent.name = \"./" +
                             printable(file.filename().string()) + "\"\n"
                       : "; look at it, then: sanduk plan " + printable(name) + "\n"));
  return exit_done;
}

}  // namespace sanduk
