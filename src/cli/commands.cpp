#include "cli/commands.h"

namespace sanduk {

const std::vector<CommandFlag>& command_flags() {
  static const std::vector<CommandFlag> flags = {
      {"--json", "", "", "print the result as JSON on standard output"},
      {"--output", "-o", "FILE", "write the plan to FILE (as JSON) instead of printing it"},
      {"--format", "", "toml|yaml|json", "format of a profile on standard input (FILE is -)"},
      {"--dry-run", "", "", "print the engine's commands and start nothing"},
      {"--quiet", "-q", "", "show only the result and faults"},
      {"--listen", "", "HOST:PORT", "where the relay listens; default 127.0.0.1 and any free port"},
      {"--socket", "", "PATH", "listen on a unix socket instead"},
      {"--limits", "", "", "print every bound of the relay and what happens at it; needs no FILE"},
      {"--fail-on-widening", "", "", "exit 1 when a change lets the box do more"},
      {"--help", "-h", "", "show help"},
      {"--version", "", "", "show the version"},
  };
  return flags;
}

const std::vector<CommandRule>& commands() {
  static const std::size_t many = 64;
  static const std::vector<CommandRule> table = {
      {"apply",
       "FILE...",
       "do what a profile or a saved plan says",
       {"--json", "--format", "--dry-run", "--quiet"},
       true,
       1,
       many,
       run_apply},
      {"run",
       "TASK",
       "run an agent on the current directory: the profile sanduk:run plus flags",
       {"--json", "--dry-run", "--quiet"},
       true,
       0,
       1,
       run_run},
      {"plan",
       "FILE...",
       "show what a profile would do; needs no engine, key or network",
       {"--json", "--output", "--format"},
       true,
       1,
       many,
       run_plan},
      {"validate",
       "FILE...",
       "check profiles; silent when all is well",
       {"--json", "--format"},
       true,
       1,
       many,
       run_validate},
      {"show", "FILE...", "show every setting and where it was said", {"--json", "--format"}, true, 1, many, run_show},
      {"diff",
       "A B",
       "compare profiles, plans or REV:FILE: what widens, what narrows",
       {"--json", "--fail-on-widening"},
       false,
       2,
       2,
       run_diff},
      {"relay",
       "FILE...",
       "serve the relay alone, for any client on this host",
       {"--json", "--listen", "--socket", "--format", "--limits"},
       true,
       0,
       many,
       run_relay},
      {"list", "agents|providers|engines|profiles", "list what there is", {"--json"}, false, 1, 1, run_list},
      {"init", "[FILE]", "write a commented profile for this directory; never overwrites", {}, false, 0, 1, run_init},
      {"explain", "[CODE]", "say what the code word of a message means", {"--json"}, false, 0, 1, run_explain},
      {"schema",
       "profile|plan|diagnostics|record|policy|reference",
       "print a JSON Schema, or the reference page",
       {},
       false,
       1,
       1,
       run_schema},
      {"completions", "bash|zsh|fish", "print completions for a shell", {}, false, 1, 1, run_completions},
      {"man", "", "print the manual page", {}, false, 0, 0, run_man},
  };
  return table;
}

}  // namespace sanduk
