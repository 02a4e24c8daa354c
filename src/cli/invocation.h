// One command line, read: which command, its own flags, the profile's flags, and where answers go.
#pragma once

#include <string>
#include <vector>

#include "base/world.h"
#include "config/argv.h"
#include "diagnostics/diagnostic.h"

namespace sanduk {

// What the two standard streams can take.
struct Terminal {
  bool color = false;        // standard error is a terminal that takes escapes
  bool interactive = false;  // … and may be redrawn
};

Terminal probe_terminal(const World& world);

struct Invocation {
  std::string command;
  std::vector<std::string> words;  // behind the command
  CommandLine line;
  Terminal terminal;

  bool has(const std::string& option) const { return line.options.contains(option); }
  std::string option(const std::string& name) const { return has(name) ? line.options.at(name) : ""; }
  Span span_of_word(std::size_t index) const { return line.word_spans.at(index + 1); }
};

// Results go to standard output, everything else to standard error.
void print_result(const std::string& text);
void print_message(const std::string& text);

// Prints all that was found and gives exit_bad_profile, or exit_done when there is no error. `as_json` puts the
// diagnostics on standard output.
int report_problems(const Diagnostics& problems, const Terminal& terminal, bool as_json = false);

}  // namespace sanduk
