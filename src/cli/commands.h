// Every command of the program, and the table that help and dispatch are made from.
#pragma once

#include <string>
#include <vector>

#include "cli/invocation.h"

namespace sanduk {

// A flag that belongs to commands, not to the profile.
struct CommandFlag {
  std::string name;
  std::string short_name;
  std::string placeholder;  // empty: a switch
  std::string help;
};

struct CommandRule {
  std::string name;
  std::string usage;  // behind "sanduk NAME"
  std::string summary;
  std::vector<std::string> flags;  // names of its own flags
  bool takes_profile_flags = false;
  std::size_t least_words = 0;
  std::size_t most_words = 0;
  int (*run)(const Invocation& call, World& world) = nullptr;
  std::vector<std::string> settings = {};  // paths of the only settings that it takes
};

const std::vector<CommandFlag>& command_flags();
const std::vector<CommandRule>& commands();

int run_apply(const Invocation& call, World& world);
int run_run(const Invocation& call, World& world);
int run_diff(const Invocation& call, World& world);
int run_plan(const Invocation& call, World& world);
int run_validate(const Invocation& call, World& world);
int run_show(const Invocation& call, World& world);
int run_relay(const Invocation& call, World& world);
int run_list(const Invocation& call, World& world);
int run_explain(const Invocation& call, World& world);
int run_init(const Invocation& call, World& world);
int run_man(const Invocation& call, World& world);
int run_completions(const Invocation& call, World& world);
int run_schema(const Invocation& call, World& world);
int run_ps(const Invocation& call, World& world);
int run_stop(const Invocation& call, World& world);
int run_clean(const Invocation& call, World& world);
int run_destroy(const Invocation& call, World& world);
int run_gc(const Invocation& call, World& world);
int run_changes(const Invocation& call, World& world);
int run_take(const Invocation& call, World& world);
int run_logs(const Invocation& call, World& world);
int run_exec(const Invocation& call, World& world);
int run_attach(const Invocation& call, World& world);
int run_shell(const Invocation& call, World& world);
int run_build(const Invocation& call, World& world);
int run_doctor(const Invocation& call, World& world);
int run_system(const Invocation& call, World& world);

// The whole help, or that of one command.
std::string help_text();
std::string help_text(const CommandRule& command);

}  // namespace sanduk
