// The words by which a run says why it did not go well. Each is a contract: scripts compare them, tests have one case
// each.
#pragma once

#include <string_view>

namespace sanduk::codes {

// The host is not ready.
inline constexpr std::string_view engine_missing = "engine-missing";
inline constexpr std::string_view engine_stopped = "engine-stopped";
inline constexpr std::string_view engine_denied = "engine-denied";
inline constexpr std::string_view image_missing = "image-missing";
inline constexpr std::string_view image_build_failed = "image-build-failed";
inline constexpr std::string_view image_uid = "image-uid";
inline constexpr std::string_view image_drift = "image-drift";
inline constexpr std::string_view run_directory = "run-directory";
inline constexpr std::string_view record_unwritable = "record-unwritable";
inline constexpr std::string_view workspace_copy = "workspace-copy";
inline constexpr std::string_view network_failed = "network-failed";
inline constexpr std::string_view container_failed = "container-failed";
inline constexpr std::string_view box_broken = "box-broken";

// The agent did not do its work.
inline constexpr std::string_view agent_failed = "agent-failed";
inline constexpr std::string_view no_final_result = "no-final-result";
inline constexpr std::string_view out_of_memory = "out-of-memory";
inline constexpr std::string_view verify_failed = "verify-failed";

// Something ended the run before the agent did. The relay's own words for that are "budget-spent" and "cassette-miss",
// which are a policy at work, and these, which are not. (The last becomes `box-broken`, with its faults as notes.)
inline constexpr std::string_view key_refused = "key-refused";
inline constexpr std::string_view cannot_log = "cannot-log";
inline constexpr std::string_view relay_found_box_broken = "box-not-as-planned";
inline constexpr std::string_view timed_out = "timed-out";
inline constexpr std::string_view interrupted = "interrupted";

// Only ever a note.
inline constexpr std::string_view report_missing = "report-missing";

// The plan names what this program does not have; only a plan of another version can.
inline constexpr std::string_view unknown_reader = "unknown-reader";

inline constexpr std::string_view internal_error = "internal-error";

}  // namespace sanduk::codes
