// The folder that a run leaves behind: what was asked, what happened, how it ended. Never holds a secret.
//
//   runs/RUN_ID/  run.json  plan.json  events.jsonl  agent.out  agent.err  build.log  report/NAME
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/world.h"
#include "engine/event.h"
#include "engine/run_record.h"
#include "plan/plan.h"

namespace sanduk {

// A file that takes at most `most` bytes; what comes after is dropped, and that is said once at its end. It is written
// to in pieces of some size, or when told.
class BoundedFile {
 public:
  BoundedFile(std::filesystem::path path, std::size_t most) : path_(std::move(path)), room_(most) {}
  BoundedFile(BoundedFile&&) = default;
  BoundedFile& operator=(BoundedFile&&) = default;
  ~BoundedFile() { flush(); }

  void append(std::string_view bytes);
  void flush();
  bool full() const { return full_; }

 private:
  std::filesystem::path path_;
  std::size_t room_;
  std::string pending_;
  bool full_ = false;
  FileDescriptor file_;
};

class Record {
 public:
  // Makes the folder and its first files; the run is live from here on. Throws RunError where it cannot be written.
  Record(World& world, StateDirectory state, const Plan& plan, const std::string& plan_json);

  const std::string& run_id() const { return data_.run_id; }
  const std::filesystem::path& directory() const { return directory_; }
  const RunRecord& data() const { return data_; }

  // Changes what is known and stores it, atomically. Throws RunError when the disk refuses.
  void update(const std::function<void(RunRecord&)>& change);
  // The last change: the same without a throw, and the run is no longer live where its state says so.
  void close(const std::function<void(RunRecord&)>& change);

  void listen(const Event& event);
  void agent_output(std::string_view bytes);
  void agent_errors(std::string_view bytes);

 private:
  void store();
  void flush();

  World& world_;
  StateDirectory state_;
  std::filesystem::path directory_;
  std::mutex mutex_;  // events come from the relay's threads, too
  RunRecord data_;
  BoundedFile events_;
  BoundedFile output_;
  BoundedFile errors_;
};

// One line of events.jsonl, without its end; empty for what is not kept there.
std::string event_json(const Event& event, const std::string& time);

}  // namespace sanduk
