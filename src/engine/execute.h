// Does a plan: image, relay, container, collect; undoes right to left, always; leaves a record.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/agent_reader.h"
#include "base/world.h"
#include "diagnostics/diagnostic.h"
#include "engine/event.h"
#include "plan/plan.h"

namespace sanduk {

// What of a plan is done. build: its image alone. shell: all of it, with the caller's terminal for the agent.
enum class Goal { run, build, shell };

enum class RunStatus {
  done,
  agent_failed,
  host_not_ready,
  bad_profile,
  stopped_by_policy,
  timed_out,
  interrupted,
  internal_error
};

struct RunOutcome {
  RunStatus status = RunStatus::internal_error;
  int exit_code = 70;                    // as the table in cli/exit_code.h says
  std::optional<Diagnostic> diagnostic;  // why it is not `done`
  std::string run_id;
  std::string engine;    // its name, once one was found
  std::string image_id;  // what that engine knows the image by
  std::string record_directory;
  std::string report_file;                      // the copy in the record folder; empty: none was left
  std::vector<std::string> changed_host_files;  // what the host may run or obey, and the run has changed
  std::vector<std::string> collected;           // copies of other files, in the record folder
  std::optional<int> verify_code;
  std::optional<bool> verify_box_held;  // whether the box of `verify` was found to be what was planned
  AgentResult agent;
  RelayTally relay;
  double seconds = 0;
};

// Runs `plan`. Never throws for what can go wrong outside; every step that was begun is undone before it returns.
// `world.stop_fd` interrupts. `plan_json` is stored as the record's plan.
RunOutcome execute(const Plan& plan, const std::string& plan_json, World& world, const EventListeners& listeners,
                   Goal goal = Goal::run);

}  // namespace sanduk
