// run.json: what is known of one run, written at each change of its state, read by whoever cleans up or lists runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agents/agent_reader.h"
#include "base/files.h"
#include "container/covers.h"
#include "diagnostics/diagnostic.h"
#include "engine/owner.h"
#include "plan/plan.h"
#include "relay/call.h"

namespace sanduk {

// preparing ─► running ─► collecting ─► undoing ─► ended          any of the first four, its owner dead ─► abandoned
// A run that is not `ended` or `abandoned` may own a container and directories; only its owner, or whoever finds the
// owner dead, may remove them.
enum class RunState { preparing, running, collecting, undoing, ended, abandoned };

std::string state_word(RunState state);

struct RecordedStep {
  std::string name;
  double seconds = 0;
  std::string failure;  // empty: it worked
};

struct RunRecord {
  std::string run_id;
  std::string plan_name;
  std::string plan_digest;  // "sha256:" and hexadecimal, of plan.json
  RunState state = RunState::preparing;
  Owner owner;
  std::string started;  // timestamps
  std::string ended;
  double seconds = 0;

  // What the run owns outside its record. Named here before it is made.
  PlannedEngine engine;  // without a name until one was chosen
  std::string container;
  bool container_requested = false;  // a `create` was sent, or is about to be
  bool container_settled = false;    // the engine has answered it: none will come any more
  std::string network;               // of this run alone; empty: none
  std::string run_directory;         // sockets, helper, build context
  std::string workspace;
  std::vector<MountPoint> mount_points;  // made in the workspace for the box's mounts; removed while still empty

  std::string image;
  std::string image_id;  // what the engine knows it by; empty until the run has ended
  std::string status;    // status_word(); empty until it is known
  std::optional<int> exit_code;
  std::optional<Diagnostic> reason;  // positions are not stored
  std::vector<RecordedStep> steps;
  RelayTally relay;
  AgentResult agent;
  std::string report;                           // relative to the record; empty: none
  std::vector<std::string> changed_host_files;  // see host_files.h
  std::vector<std::string> collected;           // also relative to it
  std::optional<int> verify_code;
  std::optional<bool> verify_box_held;
  std::vector<std::string> notes;
};

std::string run_record_json(const RunRecord& record);
// Nothing when `json` is not a record of a version that we know.
std::optional<RunRecord> read_run_record(std::string_view json);

// Where runs are kept, and the files of one. `live` holds one empty file a run that is not ended or abandoned.
struct StateDirectory {
  std::filesystem::path root;

  std::filesystem::path runs() const { return root / "runs"; }
  std::filesystem::path live() const { return root / "live"; }
  std::filesystem::path run(const std::string& run_id) const { return runs() / run_id; }
  std::filesystem::path live_mark(const std::string& run_id) const { return live() / run_id; }
};

FileResult<RunRecord> load_run_record(const std::filesystem::path& record_directory);
std::optional<FileError> store_run_record(const std::filesystem::path& record_directory, const RunRecord& record);

}  // namespace sanduk
