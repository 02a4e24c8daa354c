// The flags of the profile's settings: one from each row, the original command line's words, and those that are no
// more.
#include "profile/profile_fields.h"

namespace sanduk {

const std::vector<FlagAlias>& flag_aliases() {
  static const std::vector<FlagAlias> aliases = {
      {"--proxy", "network.mode", "sealed", "the same as --mode sealed"},
      {"--skip-key-check", "provider.key_check", "false", "do not ask the provider whether the key is good"},
      {"--no-report-instruction", "agent.report_instruction", "false", "leave the task as it is written"},
      {"--allowed-tools", "agent.options.allowed_tools", "",
       "tools that the agent may use (agents that have the option)"},
      {"--permission-mode", "agent.options.permission_mode", "", "permission mode (agents that have the option)"},
      {"--bare", "agent.options.bare", "true", "start the agent without its extras (agents that have the option)"},
  };
  return aliases;
}

const std::vector<RetiredFlag>& retired_flags() {
  static const std::vector<RetiredFlag> flags = {
      {"--network", "a box joins no network of the engine; the mode says what it may reach",
       "use --mode sealed, --mode key-safe or --mode open"},
      {"--proxy-network", "a sealed box has no network at all; it reaches the relay through a socket",
       "leave it out; nothing is left behind that needs a name"},
      {"--proxy-port", "the relay of a run listens on a socket in the run's own directory, not on a port",
       "leave it out; `sanduk relay FILE --listen HOST:PORT` serves a relay on a port"},
  };
  return flags;
}

std::vector<FlagRule> profile_flags() {
  std::vector<FlagRule> rules;
  for (const Field<Profile>& row : profile_fields()) {
    if (row.flag.empty()) continue;
    const bool is_list = row.shape == Shape::list || row.shape == Shape::mounts;
    rules.push_back({row.flag, row.short_flag, row.path, row.flag_value, is_list, row.shape == Shape::map});
  }
  for (const FlagAlias& alias : flag_aliases()) {
    rules.push_back({alias.flag, "", alias.path, alias.value, false, false});
  }
  for (const RetiredFlag& flag : retired_flags()) {
    rules.push_back({flag.flag, "", "", "", false, false, flag.why, flag.instead});
  }
  return rules;
}

}  // namespace sanduk
