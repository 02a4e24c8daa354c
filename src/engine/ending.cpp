#include "engine/ending.h"

#include <csignal>
#include <map>

#include "base/text.h"
#include "engine/codes.h"

namespace sanduk {
namespace {

struct Outcome {
  RunStatus status;
  int exit_code;
};

Outcome outcome_of(Failure failure) {
  switch (failure) {
    case Failure::profile:
      return {RunStatus::bad_profile, 2};
    case Failure::host:
      return {RunStatus::host_not_ready, 3};
    case Failure::agent:
      return {RunStatus::agent_failed, 1};
    case Failure::policy:
      return {RunStatus::stopped_by_policy, 4};
    case Failure::internal:
      break;
  }
  return {RunStatus::internal_error, 70};
}

std::string signal_name(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "signal " + std::to_string(signal);
  }
}

// What the relay may report that is not a policy at work but a host that is not as it must be.
bool is_host_fault(std::string_view code) { return code == codes::key_refused || code == codes::cannot_log; }

}  // namespace

Ending ended_by(const RunError& error) {
  const Outcome outcome = outcome_of(error.failure);
  return {outcome.status, outcome.exit_code, error.diagnostic};
}

Ending ended_by(const Interrupted& interrupt) {
  return {RunStatus::interrupted, 128 + interrupt.signal,
          error(std::string(codes::interrupted), "interrupted by " + signal_name(interrupt.signal))};
}

Ending ended_by_bug(const std::string& what) {
  Diagnostic diagnostic = error(std::string(codes::internal_error), "sanduk failed: " + what);
  diagnostic.with_help("this is a fault of sanduk; please report it with the run's record");
  return {RunStatus::internal_error, 70, diagnostic};
}

Ending ended_by_timeout(std::int64_t seconds) {
  Diagnostic diagnostic = error(std::string(codes::timed_out),
                                "the agent was still at work after " + human_seconds(static_cast<double>(seconds)));
  diagnostic.with_help("raise caps.timeout, or give the agent a smaller task");
  return {RunStatus::timed_out, 124, diagnostic};
}

Ending ended_by_relay(const std::string& code, const std::string& why) {
  if (code == codes::relay_found_box_broken) {
    return ended_by(RunError(Failure::host, error(std::string(codes::box_broken),
                                                  "the box is not what the plan says; the agent was not started")));
  }
  return ended_by(RunError(is_host_fault(code) ? Failure::host : Failure::policy, error(code, why)));
}

std::string status_word(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return "done";
    case RunStatus::agent_failed:
      return "agent-failed";
    case RunStatus::host_not_ready:
      return "host-not-ready";
    case RunStatus::bad_profile:
      return "bad-profile";
    case RunStatus::stopped_by_policy:
      return "stopped-by-policy";
    case RunStatus::timed_out:
      return "timed-out";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::internal_error:
      break;
  }
  return "internal-error";
}

}  // namespace sanduk
