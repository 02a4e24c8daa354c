// sanduk(1) from the tables of commands and settings.
#include "base/text.h"
#include "cli/commands.h"
#include "cli/reference.h"
#include "profile/profile_fields.h"

namespace sanduk {
namespace {

// Text of man's language: a backslash, a dash and a leading dot mean something there.
std::string roff(const std::string& text) {
  std::string safe = replace_all(replace_all(text, "\\", "\\e"), "-", "\\-");
  if (safe.starts_with('.') || safe.starts_with('\'')) safe = "\\&" + safe;
  return safe;
}

std::string item(const std::string& name, const std::string& placeholder, const std::string& help) {
  return ".TP\n\\fB" + roff(name) + "\\fR" + (placeholder.empty() ? "" : " \\fI" + roff(placeholder) + "\\fR") + "\n" +
         roff(help) + "\n";
}

}  // namespace

std::string manual_page() {
  std::string text = ".TH SANDUK 1 \"\" \"sanduk " SANDUK_VERSION
                     "\" \"User Commands\"\n.SH NAME\nsanduk \\- run a coding agent in a disposable container\n"
                     ".SH SYNOPSIS\n.B sanduk\n.I COMMAND\n[\\fIFLAGS\\fR]\n.SH DESCRIPTION\n"
                     "What a run is stands in one file, a profile in TOML, YAML or JSON. sanduk checks it, shows what "
                     "it would do,\nand does it.\n.SH COMMANDS\n";
  for (const CommandRule& command : commands()) text += item(command.name, command.usage, command.summary);
  text += ".SH FLAGS\n";
  for (const CommandFlag& flag : command_flags()) {
    text += item((flag.short_name.empty() ? "" : flag.short_name + ", ") + flag.name, flag.placeholder, flag.help);
  }
  text += ".SH SETTINGS\nEach flag overrides the key of the profile that stands in brackets.\n";
  for (const Field<Profile>& field : profile_fields()) {
    if (field.flag.empty()) continue;
    const std::string repeat = repeat_rule(field.shape, field.flag_adds);
    text += item((field.short_flag.empty() ? "" : field.short_flag + ", ") + field.flag, field.placeholder,
                 field.help + " [" + field.path + "]" + (repeat.empty() ? "" : "; " + repeat));
  }
  for (const FlagAlias& alias : flag_aliases())
    text += item(alias.flag, alias.value.empty() ? "VALUE" : "", alias.help);
  text += item("--set", "KEY=VALUE", "set any key");
  text +=
      ".SH \"EXIT STATUS\"\n0 done; the agent's own if it failed with one; 1 the agent failed; 2 bad profile or "
      "flags;\n"
      "3 the host is not ready; 4 a budget or policy ended the run; 70 a bug of sanduk; 124 timed out; 128+N signal "
      "N.\n"
      ".SH FILES\n" +
      item("~/.config/sanduk/policy.toml, /etc/sanduk/policy.toml", "", "what no profile may exceed") +
      item("~/.config/sanduk/{agents,providers,engines}/*.toml", "", "descriptions of your own") +
      item("~/.local/state/sanduk", "", "records of runs");
  return text;
}

int run_man(const Invocation&, World&) {
  print_result(manual_page());
  return 0;
}

}  // namespace sanduk
