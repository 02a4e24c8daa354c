// Help, from the tables of commands and settings.
#include <algorithm>

#include "cli/commands.h"
#include "profile/profile_fields.h"

namespace sanduk {
namespace {

std::string row(const std::string& left, const std::string& right, std::size_t width) {
  return "  " + left + std::string(left.size() < width ? width - left.size() : 1, ' ') + " " + right + "\n";
}

std::string flag_row(const std::string& name, const std::string& short_name, const std::string& placeholder,
                     const std::string& help) {
  const std::string left =
      (short_name.empty() ? "    " : short_name + ", ") + name + (placeholder.empty() ? "" : " " + placeholder);
  return row(left, help, 38);
}

std::string profile_flag_rows() {
  std::string text = "Settings (each overrides the key of the profile that stands in brackets):\n";
  for (const Field<Profile>& field : profile_fields()) {
    if (field.flag.empty()) continue;
    const std::string repeat = repeat_rule(field.shape, field.flag_adds);
    text += flag_row(field.flag, field.short_flag, field.placeholder,
                     field.help + " [" + field.path + "]" + (repeat.empty() ? "" : "; " + repeat));
  }
  text += flag_row("--set", "", "KEY=VALUE", "set any key, such as --set caps.cpus=2");
  text += "\nOther words for settings:\n";
  for (const FlagAlias& alias : flag_aliases()) {
    text += flag_row(alias.flag, "", alias.value.empty() ? "VALUE" : "", alias.help);
  }
  return text;
}

}  // namespace

std::string help_text() {
  std::string text =
      "sanduk runs a coding agent in a disposable container.\n\n"
      "usage: sanduk COMMAND [FLAGS]\n\n"
      "Commands:\n";
  for (const CommandRule& command : commands()) text += row(command.name + " " + command.usage, command.summary, 42);
  text += "\nFlags stand anywhere on the line:\n";
  for (const CommandFlag& flag : command_flags())
    text += flag_row(flag.name, flag.short_name, flag.placeholder, flag.help);
  text += "\n" + profile_flag_rows();
  text +=
      "\nExit codes: 0 done; the agent's own if it failed with one; 1 the agent failed; 2 bad profile or flags;\n"
      "3 the host is not ready; 4 a budget or policy ended the run; 70 a bug of sanduk; 124 timed out; 128+N signal "
      "N.\n";
  return text;
}

std::string help_text(const CommandRule& command) {
  std::string text = "usage: sanduk " + command.name + " " + command.usage +
                     (command.takes_profile_flags ? " [FLAGS]" : "") + "\n\n" + command.summary + "\n";
  std::string own;
  for (const CommandFlag& flag : command_flags()) {
    if (std::find(command.flags.begin(), command.flags.end(), flag.name) == command.flags.end()) continue;
    own += flag_row(flag.name, flag.short_name, flag.placeholder, flag.help);
  }
  for (const Field<Profile>& field : profile_fields()) {
    if (std::find(command.settings.begin(), command.settings.end(), field.path) == command.settings.end()) continue;
    own += flag_row(field.flag, field.short_flag, field.placeholder, field.help);
  }
  if (!own.empty()) text += "\nFlags:\n" + own;
  if (command.takes_profile_flags) text += "\n" + profile_flag_rows();
  return text;
}

}  // namespace sanduk
