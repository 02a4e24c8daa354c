// What went wrong, where, and what to do about it: one shape for every message that sanduk gives.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace sanduk {

// A file, or what stands for one (the command line, standard input), that positions point into.
struct Source {
  std::string name;  // as the user wrote it
  std::string text;
};

// Where something stands. Lines and columns count from 1, columns in characters of UTF-8; line 0 means "nowhere".
struct Span {
  std::shared_ptr<const Source> source;
  std::size_t line = 0;
  std::size_t column = 0;
  std::size_t length = 1;  // characters on that line
  bool sensitive = false;  // the excerpt shows the marked text masked

  bool known() const { return source != nullptr && line > 0; }
};

enum class Severity { error, warning };

// A span with a few words of its own. The first label of a diagnostic is the place of the fault.
struct Label {
  Span span;
  std::string text;
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;     // stable word, e.g. "unknown-key"; every one is listed in codes.h
  std::string message;  // lower case, stands alone, never a secret
  std::vector<Label> labels;
  std::vector<std::string> notes;
  std::string help;  // the one thing to do

  Diagnostic& at(Span span, std::string text = "");
  Diagnostic& note(std::string text);
  Diagnostic& with_help(std::string text);
};

Diagnostic error(std::string code, std::string message);
Diagnostic warning(std::string code, std::string message);

// Collects before anything starts, so that all faults are shown at once.
class Diagnostics {
 public:
  Diagnostic& add(Diagnostic diagnostic);
  bool has_errors() const { return count_errors() > 0; }
  std::size_t count_errors() const;
  bool empty() const { return list_.empty(); }
  // In file order: by source in order of first appearance, then line, then column.
  std::vector<Diagnostic> sorted() const;

 private:
  std::vector<Diagnostic> list_;
};

// Why a run ended once it had begun. Decides the exit code.
enum class Failure {
  profile,   // 2: what was asked for is wrong
  host,      // 3: the host is not ready
  agent,     // 1: the agent failed or left no final result
  policy,    // 4: a budget or a policy ended the run
  internal,  // 70: our bug
};

// Thrown beyond the point where steps run; caught in one place, which unwinds the undo stack.
struct RunError : std::runtime_error {
  RunError(Failure why, Diagnostic what)
      : std::runtime_error(what.message), failure(why), diagnostic(std::move(what)) {}
  Failure failure;
  Diagnostic diagnostic;
};

}  // namespace sanduk
