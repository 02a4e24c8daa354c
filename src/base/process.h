// Child processes: started in a group of their own, read with bounds, ended as a group.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/secret.h"

namespace sanduk {

// What to start. The child gets our environment plus `variables` (secrets pass here, never in argv), an empty signal
// mask and default signal actions, and /dev/null as standard input unless `input` is given.
struct Command {
  std::vector<std::string> argv;                 // argv[0] is looked up on PATH
  std::map<std::string, std::string> variables;  // added to, or replacing, our own
  std::optional<std::string> input;              // bytes for standard input (run_process only)
  bool inherit_terminal = false;                 // keep our standard streams (interactive use)
};

struct ProcessResult {
  bool started = false;  // false: `error` says why (no such program …)
  std::string error;
  int exit_code = -1;      // 128+N when ended by signal N
  bool timed_out = false;  // the whole group was killed
  std::string output;      // standard output, at most `most_output` bytes, the rest dropped
  std::string errors;      // standard error, likewise

  bool ok() const { return started && !timed_out && exit_code == 0; }
};

// Starts, waits, collects both streams. `cancel_fd`, when readable, ends the wait like a timeout does.
ProcessResult run_process(const Command& command, std::chrono::milliseconds timeout,
                          std::size_t most_output = std::size_t{16} << 20, int cancel_fd = -1);

// A running child with pipes on its standard output and error.
class Child {
 public:
  // Throws std::system_error when the program cannot be started.
  static Child start(const Command& command);

  Child(Child&&) noexcept;
  Child& operator=(Child&&) noexcept;
  ~Child();  // kills the group if it still runs, and reaps it

  pid_t pid() const { return pid_; }
  int output_fd() const { return output_.get(); }
  int error_fd() const { return error_.get(); }
  void close_streams();

  // The exit code (128+N for signal N) once it has ended.
  std::optional<int> poll();
  std::optional<int> wait_for(std::chrono::milliseconds timeout);
  // To the whole process group.
  void signal_group(int signal);

 private:
  Child() = default;
  pid_t pid_ = -1;
  std::optional<int> code_;
  FileDescriptor output_;
  FileDescriptor error_;
  FileDescriptor input_;
  friend ProcessResult run_process(const Command&, std::chrono::milliseconds, std::size_t, int);
};

}  // namespace sanduk
