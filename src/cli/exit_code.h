// What the program's exit code means; scripts and CI rely on it.
#pragma once

namespace sanduk {

// An agent that failed with a code of its own passes that code on; a run ended by signal N gives 128+N.
enum ExitCode : int {
  exit_done = 0,
  exit_agent_failed = 1,       // the agent failed, or left no final result
  exit_bad_profile = 2,        // bad profile or flags; nothing was started
  exit_host_not_ready = 3,     // engine, key, image …
  exit_stopped_by_policy = 4,  // a budget or a policy ended the run
  exit_internal_error = 70,    // our bug
  exit_timed_out = 124,
};

}  // namespace sanduk
