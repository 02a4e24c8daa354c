#include "cli/invocation.h"

#include <unistd.h>

#include "base/files.h"
#include "cli/exit_code.h"
#include "diagnostics/render.h"

namespace sanduk {

Terminal probe_terminal(const World& world) {
  Terminal terminal;
  const std::string kind = world.variable("TERM").value_or("dumb");
  const bool no_color = !world.variable("NO_COLOR").value_or("").empty();
  terminal.interactive = isatty(STDERR_FILENO) == 1 && kind != "dumb" && !kind.empty() && !no_color;
  terminal.color = terminal.interactive;
  return terminal;
}

void print_result(const std::string& text) { write_all(STDOUT_FILENO, text); }

void print_message(const std::string& text) { write_all(STDERR_FILENO, text); }

int report_problems(const Diagnostics& problems, const Terminal& terminal, bool as_json) {
  if (as_json) {
    print_result(render_json(problems));
  } else if (!problems.empty()) {
    print_message(render_text(problems, {terminal.color}));
  }
  return problems.has_errors() ? exit_bad_profile : exit_done;
}

}  // namespace sanduk
