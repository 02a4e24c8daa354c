// Every call's record, handed on one at a time, and their sum.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "relay/call.h"

namespace sanduk {

class CallLog {
 public:
  using OnCall = std::function<void(const CallRecord&)>;
  using OnStop = std::function<void(const std::string&, const std::string&)>;
  CallLog(OnCall on_call, OnStop on_stop) : on_call_(std::move(on_call)), on_stop_(std::move(on_stop)) {}

  std::int64_t next_id() { return ++last_id_; }
  void add(const CallRecord& record);
  // The run should end. Said once for each code.
  void ask_to_stop(const std::string& code, const std::string& why);
  RelayTally tally() const;

 private:
  OnCall on_call_;
  OnStop on_stop_;
  std::atomic<std::int64_t> last_id_{0};
  mutable std::mutex mutex_;   // guards tally_ and stopped_
  std::mutex callback_mutex_;  // one call of a listener at a time
  RelayTally tally_;
  std::set<std::string> stopped_;
};

}  // namespace sanduk
