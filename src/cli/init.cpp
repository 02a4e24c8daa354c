// sanduk init [FILE]: a commented profile for this directory, every setting in it. Asks nothing, overwrites nothing.
#include <algorithm>
#include <cerrno>

#include "base/files.h"
#include "base/text.h"
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

// An example where the default is no value at all.
std::string example_value(const Field<Profile>& field, const Profile& defaults) {
  const std::string value = field.value(defaults);
  return value == "{}" ? "{ NAME = \"value\" }" : value;
}

std::string profile_text(const std::filesystem::path& directory) {
  const auto settings = first_settings(directory);
  const Profile defaults;
  std::string text =
      "# A profile of sanduk. Check it: sanduk validate FILE; see what it does: sanduk plan FILE; do it: sanduk apply "
      "FILE.\n"
      "# Lines that begin with `# key =` are settings at their defaults. `sanduk schema profile` prints a schema for "
      "editors.\n";
  std::string table;
  for (const Field<Profile>& field : profile_fields()) {
    if (!field.not_yet.empty()) continue;
    const std::size_t dot = field.path.find('.');
    const std::string parent = dot == std::string::npos ? "" : field.path.substr(0, dot);
    if (parent != table) text += "\n[" + parent + "]\n";
    table = parent;
    const std::string key = dot == std::string::npos ? field.path : field.path.substr(dot + 1);
    const auto chosen =
        std::find_if(settings.begin(), settings.end(), [&](const auto& one) { return one.first == field.path; });
    const std::string line =
        chosen != settings.end() ? key + " = " + chosen->second : "# " + key + " = " + example_value(field, defaults);
    text += line + std::string(line.size() < 44 ? 44 - line.size() : 1, ' ') + "# " + field.help + "\n";
  }
  return text;
}

}  // namespace

int run_init(const Invocation& call, World& world) {
  Diagnostics problems;
  const std::string name = call.words.empty() ? "sanduk.toml" : call.words[0];
  const std::filesystem::path file = world.current_directory() / name;
  if (!name.ends_with(".toml")) {
    problems.add(error("unknown-format", "`" + name + "` is not a .toml file")
                     .at(call.span_of_word(0))
                     .with_help("name it NAME.toml"));
    return report_problems(problems, call.terminal);
  }
  const std::string text = profile_text(resolved(file).parent_path());
  FileResult<FileDescriptor> made = create_file(file, 0644);
  if (!made || !write_all(made->get(), text)) {
    const bool exists = !made && made.error().code == EEXIST;
    Diagnostic problem = exists ? error("file-exists", "`" + name + "` is there already")
                                : error("unwritable-file", made ? "cannot write `" + name + "`" : made.error().message);
    problem.at(call.words.empty() ? call.line.word_spans.at(0) : call.span_of_word(0));
    problems.add(problem.with_help(exists ? "name another file: sanduk init NAME.toml"
                                          : "choose a directory that you may write"));
    return report_problems(problems, call.terminal);
  }
  print_message("wrote " + printable(name) + "; look at it, then: sanduk plan " + printable(name) + "\n");
  return exit_done;
}

}  // namespace sanduk
