// sanduk completions bash|zsh|fish: written from the tables; agents, providers and profiles are asked for when needed.
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/reference.h"
#include "diagnostics/codes.h"
#include "profile/profile_fields.h"

namespace sanduk {
namespace {

// One flag as a shell sees it: its values are words, a list to be asked for, or files.
struct FlagWords {
  std::string name;
  std::string short_name;
  std::string help;
  bool takes_value = false;
  std::string values;  // words, "@agents" for `sanduk list agents`, "" for files
};

std::string values_of(const Field<Profile>& field) {
  if (field.path == "agent.name") return "@agents";
  if (field.path == "provider.name") return "@providers";
  if (field.path == "engine.name") return "@engines";
  return join(field.allowed, " ");
}

std::vector<FlagWords> all_flags() {
  std::vector<FlagWords> flags;
  for (const CommandFlag& flag : command_flags()) {
    flags.push_back({flag.name, flag.short_name, flag.help, !flag.placeholder.empty(),
                     flag.placeholder.find('|') == std::string::npos ? "" : replace_all(flag.placeholder, "|", " ")});
  }
  for (const Field<Profile>& field : profile_fields()) {
    if (!field.flag.empty())
      flags.push_back({field.flag, field.short_flag, field.help, field.flag_value.empty(), values_of(field)});
  }
  for (const FlagAlias& alias : flag_aliases()) flags.push_back({alias.flag, "", alias.help, alias.value.empty(), ""});
  flags.push_back({"--set", "", "set any key", true, ""});
  return flags;
}

// What stands behind a command: its words where they are fixed, else nothing (then files, or profiles).
std::string words_behind(const CommandRule& command) {
  if (command.name == "explain") return join(code_words(), " ");
  const std::string usage = command.usage;
  return usage.find('|') == std::string::npos || usage.find(' ') != std::string::npos ? ""
                                                                                      : replace_all(usage, "|", " ");
}

// A word that names a list is one that the program is asked for.
std::string bash_words(const std::string& values) {
  return values.starts_with("@") ? "$(_sanduk_names " + values.substr(1) + ")" : values;
}

std::string bash_script() {
  std::string text =
      "# Completion of sanduk for bash. Written by `sanduk completions bash`.\n"
      "_sanduk_names() { sanduk list \"$1\" 2>/dev/null | while read -r name _; do printf '%s\\n' \"$name\"; done; }\n"
      "_sanduk() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' word\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do [[ $word == -* ]] || { command=$word; break; }; done\n"
      "  case $before in\n";
  std::string flags;
  for (const FlagWords& flag : all_flags()) {
    flags += " " + flag.name;
    if (!flag.takes_value) continue;
    const std::string names = flag.name + (flag.short_name.empty() ? "" : "|" + flag.short_name);
    text += "    " + names + ") " +
            (flag.values.empty()
                 ? "mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return"
                 : "mapfile -t COMPREPLY < <(compgen -W \"" + bash_words(flag.values) + "\" -- \"$current\"); return") +
            " ;;\n";
  }
  text += "  esac\n  if [[ $current == -* ]]; then mapfile -t COMPREPLY < <(compgen -W \"" + std::string(trim(flags)) +
          "\" -- \"$current\"); return; fi\n  case $command in\n    '') mapfile -t COMPREPLY < <(compgen -W \"";
  std::vector<std::string> names;
  for (const CommandRule& command : commands()) names.push_back(command.name);
  text += join(names, " ") + "\" -- \"$current\") ;;\n";
  for (const CommandRule& command : commands()) {
    const std::string words = words_behind(command);
    if (!words.empty())
      text += "    " + command.name + ") mapfile -t COMPREPLY < <(compgen -W \"" + words + "\" -- \"$current\") ;;\n";
  }
  text +=
      "    *) mapfile -t COMPREPLY < <(compgen -f -- \"$current\"; compgen -W \"$(_sanduk_names profiles)\" -- "
      "\"$current\") ;;\n  esac\n}\ncomplete -o filenames -F _sanduk sanduk\n";
  return text;
}

// Text between single quotes of a shell, without what zsh's own brackets would take.
std::string quoted(const std::string& text) {
  return replace_all(replace_all(replace_all(text, "'", "'\\''"), "[", "("), "]", ")");
}

std::string zsh_action(const FlagWords& flag) {
  if (!flag.takes_value) return "";
  const std::string action = flag.values.empty()            ? "_files"
                             : flag.values.starts_with("@") ? "_sanduk_names " + flag.values.substr(1)
                                                            : "(" + flag.values + ")";
  return ":value:" + action;
}

std::string zsh_script() {
  std::string text =
      "#compdef sanduk\n# Completion of sanduk for zsh. Written by `sanduk completions zsh`.\n"
      "_sanduk_names() { compadd -- ${(f)\"$(sanduk list $1 2>/dev/null | while read -r name rest; do print -r -- "
      "$name; done)\"} }\n"
      "_sanduk_files() { _files; _sanduk_names profiles }\n"
      "_sanduk() {\n  local -a commands=(\n";
  for (const CommandRule& command : commands())
    text += "    '" + command.name + ":" + quoted(replace_all(command.summary, ":", "\\:")) + "'\n";
  text += "  )\n  local state\n  _arguments -C \\\n";
  for (const FlagWords& flag : all_flags()) {
    text += "    '*" + flag.name + "[" + quoted(replace_all(flag.help, ":", "\\:")) + "]" + zsh_action(flag) + "' \\\n";
  }
  text +=
      "    '1:command:->command' '*:word:->word'\n  case $state in\n    command) _describe command commands ;;\n    "
      "word) case $words[2] in\n";
  for (const CommandRule& command : commands()) {
    const std::string words = words_behind(command);
    if (!words.empty()) text += "      " + command.name + ") compadd -- " + words + " ;;\n";
  }
  return text + "      *) _sanduk_files ;;\n    esac ;;\n  esac\n}\n_sanduk \"$@\"\n";
}

std::string fish_script() {
  std::string text =
      "# Completion of sanduk for fish. Written by `sanduk completions fish`.\n"
      "function __sanduk_names; sanduk list $argv[1] 2>/dev/null | string replace -r ' .*' ''; end\n";
  for (const CommandRule& command : commands()) {
    text += "complete -c sanduk -n __fish_use_subcommand -a " + command.name + " -d '" +
            replace_all(command.summary, "'", "\\'") + "'\n";
    const std::string words = words_behind(command);
    if (!words.empty())
      text += "complete -c sanduk -f -n '__fish_seen_subcommand_from " + command.name + "' -a '" + words + "'\n";
  }
  text +=
      "complete -c sanduk -n '__fish_seen_subcommand_from apply plan validate show relay' -a '(__sanduk_names "
      "profiles)'\n";
  for (const FlagWords& flag : all_flags()) {
    text += "complete -c sanduk -l " + flag.name.substr(2) +
            (flag.short_name.empty() ? "" : " -s " + flag.short_name.substr(1));
    if (flag.takes_value)
      text += flag.values.empty() ? " -r"
                                  : " -x -a '" +
                                        (flag.values.starts_with("@") ? "(__sanduk_names " + flag.values.substr(1) + ")"
                                                                      : flag.values) +
                                        "'";
    text += " -d '" + replace_all(flag.help, "'", "\\'") + "'\n";
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell) {
  return shell == "bash" ? bash_script() : shell == "zsh" ? zsh_script() : shell == "fish" ? fish_script() : "";
}

int run_completions(const Invocation& call, World&) {
  const std::string script = completion_script(call.words[0]);
  if (!script.empty()) {
    print_result(script);
    return exit_done;
  }
  Diagnostics problems;
  problems.add(error("usage", "there are no completions for `" + printable(call.words[0]) + "`")
                   .at(call.span_of_word(0))
                   .with_help("shells: bash, zsh, fish"));
  return report_problems(problems, call.terminal);
}

}  // namespace sanduk
