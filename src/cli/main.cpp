#include "cli/main.h"

#include <signal.h>

#include <algorithm>
#include <exception>

#include "base/secret.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "diagnostics/mask.h"
#include "profile/profile_fields.h"

namespace sanduk {
namespace {

std::vector<FlagRule> all_flags() {
  std::vector<FlagRule> rules = profile_flags();
  for (const CommandFlag& flag : command_flags()) {
    rules.push_back({flag.name, flag.short_name, "", flag.placeholder.empty() ? "true" : "", false, false});
  }
  return rules;
}

const CommandRule* find_command(const Invocation& call, Diagnostics& problems) {
  std::vector<std::string> names;
  for (const CommandRule& command : commands()) {
    if (command.name == call.command) return &command;
    names.push_back(command.name);
  }
  const std::optional<std::string> near = closest(call.command, names);
  problems.add(error("unknown-command", "there is no command `" + masked(call.command) + "`")
                   .at(call.line.word_spans.at(0))
                   .with_help(near ? "did you mean `" + *near + "`?" : "commands: " + join(names, ", ")));
  return nullptr;
}

// Words and flags that the command does not take.
void check_call(const Invocation& call, const CommandRule& command, Diagnostics& problems) {
  for (const auto& [name, span] : call.line.option_spans) {
    if (std::find(command.flags.begin(), command.flags.end(), name) != command.flags.end()) continue;
    problems.add(error("unknown-flag", "`" + name + "` is not a flag of `sanduk " + command.name + "`")
                     .at(span)
                     .with_help("see `sanduk " + command.name + " --help`"));
  }
  if (!command.takes_profile_flags) {
    const auto refuse = [&](const Span& span) {
      problems.add(error("unknown-flag", "`sanduk " + command.name + "` takes no " +
                                             (command.settings.empty() ? "settings" : "such setting"))
                       .at(span)
                       .with_help("see `sanduk " + command.name + " --help`"));
    };
    for (const Entry& entry : call.line.settings.root.entries) {
      if (entry.value.entries.empty()) refuse(entry.key_span);
      for (const Entry& inner : entry.value.entries) {
        const std::string path = entry.key + "." + inner.key;
        if (std::find(command.settings.begin(), command.settings.end(), path) == command.settings.end())
          refuse(inner.key_span.known() ? inner.key_span : entry.key_span);
      }
    }
  }
  if (call.words.size() < command.least_words || call.words.size() > command.most_words) {
    Diagnostic problem =
        error("usage", call.words.size() < command.least_words ? "`sanduk " + command.name + "` needs " + command.usage
                                                               : "too many words for `sanduk " + command.name + "`");
    problem.at(call.words.size() > command.most_words ? call.span_of_word(command.most_words)
                                                      : call.line.word_spans.at(0));
    problems.add(problem.with_help("usage: sanduk " + command.name + " " + command.usage));
  }
}

int dispatch(const std::vector<std::string>& arguments, World& world) {
  Diagnostics problems;
  Invocation call;
  call.terminal = probe_terminal(world);
  call.line = read_argv(arguments, all_flags(), world.current_directory(), problems);
  if (!call.line.words.empty()) call.command = call.line.words[0];
  if (call.has("--version") && call.command.empty() && !problems.has_errors()) {
    print_result("sanduk " SANDUK_VERSION "\n");
    return exit_done;
  }
  if (call.command == "help" ||
      (call.command.empty() && (call.has("--help") || arguments.empty()) && !problems.has_errors())) {
    (arguments.empty() ? print_message : print_result)(help_text());
    return arguments.empty() ? exit_bad_profile : exit_done;
  }
  if (call.command.empty()) {
    problems.add(error("usage", "no command is given").with_help("see `sanduk --help`"));
    return report_problems(problems, call.terminal);
  }
  call.words.assign(call.line.words.begin() + 1, call.line.words.end());
  const CommandRule* command = find_command(call, problems);
  if (command == nullptr) return report_problems(problems, call.terminal);
  if (call.has("--help") && !problems.has_errors()) {
    print_result(help_text(*command));
    return exit_done;
  }
  check_call(call, *command, problems);
  if (problems.has_errors())
    return report_problems(problems, call.terminal, call.has("--json") && command->name == "validate");
  return command->run(call, world);
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  signal(SIGPIPE, SIG_IGN);
  forbid_core_dumps();
  try {
    World world;
    return dispatch(arguments, world);
  } catch (const std::exception& fault) {
    print_message("sanduk: a bug of sanduk: " + printable(fault.what()) + "\n");
    return exit_internal_error;
  }
}

}  // namespace sanduk
