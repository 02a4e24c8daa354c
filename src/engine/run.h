// What the steps of one run share.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agents/agent_reader.h"
#include "base/files.h"
#include "base/secret.h"
#include "base/world.h"
#include "container/box.h"
#include "engine/ending.h"
#include "engine/engine_client.h"
#include "engine/event.h"
#include "engine/execute.h"
#include "engine/host_files.h"
#include "engine/record.h"
#include "engine/report.h"
#include "engine/watcher.h"
#include "plan/plan.h"
#include "relay/relay.h"

namespace sanduk {

// A request that the run end, from whatever thread; the first one counts. `fd()` becomes readable with it.
class StopRequest {
 public:
  struct Words {
    std::string code;
    std::string why;
  };

  StopRequest();
  void ask(const std::string& code, const std::string& why);
  std::optional<Words> asked() const;
  int fd() const { return read_.get(); }

 private:
  mutable std::mutex mutex_;
  std::optional<Words> words_;
  FileDescriptor read_;
  FileDescriptor write_;
};

struct Run {
  Run(const Plan& the_plan, World& the_world, const EventListeners& listeners, Record& the_record, Watcher& the_watcher)
      : plan(the_plan), world(the_world), tell(listeners), record(the_record), watcher(the_watcher) {}

  const Plan& plan;
  Goal goal = Goal::run;
  std::string original_workspace;  // mode copy: `plan` has the copy's place
  World& world;
  const EventListeners& tell;
  Record& record;
  Watcher& watcher;

  StateDirectory state;
  bool state_is_new = false;        // so that earlier runs, if any, have lost their records
  std::filesystem::path directory;  // see run_directory.h
  BoxNames names;
  FoundImage image;
  Secret key;
  Secret token;

  // The relay calls into the members above it, so that it must go first.
  StopRequest stop;
  std::mutex box_mutex;
  std::vector<std::string> box_faults;  // what the self-test's report was found to lack
  std::unique_ptr<Relay> relay;

  std::string gateway;                          // address of this host in the run's network; transport gateway only
  std::map<std::string, ReportMark> old_marks;  // of what is collected, as it was before the agent started
  HostFiles host_files_before;
  std::vector<std::string> changed_host_files;
  Ending ending;  // what the agent step made of the agent's end
  AgentResult agent;
  RelayTally tally;
  std::string report_file;  // these are relative to the record
  std::vector<std::string> collected;
  std::optional<int> verify_code;       // with which the command that judges the work ended
  std::optional<bool> verify_box_held;  // whether its box was found, from inside, to be what was planned
  bool left_over = false;               // something of the run could not be removed

  // Throws Interrupted if the user asked to stop.
  void check_interrupted();
  // The engine's client, running; the watcher knows of it. Throws RunError where it cannot be started.
  Child start_client(const Command& command);
  void note(const std::string& text) const { tell(Note{text}); }
};

}  // namespace sanduk
