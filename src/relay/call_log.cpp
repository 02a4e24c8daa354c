#include "relay/call_log.h"

#include "relay/protocol.h"

namespace sanduk {

void CallLog::add(const CallRecord& record) {
  {
    const std::lock_guard lock(mutex_);
    if (!record.refusal.empty()) {
      ++tally_.refused;
    } else if (is_tunnel(record)) {
      ++tally_.tunnels;
    } else if (record.status != 0) {
      ++tally_.calls;
      if (record.completion && record.status < 400 && !record.usage.known()) ++tally_.without_usage;
      add_usage(tally_.usage, record.usage);
    }
  }
  const std::lock_guard lock(callback_mutex_);
  if (on_call_) on_call_(record);
}

void CallLog::ask_to_stop(const std::string& code, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopped_.insert(code).second) return;
  }
  const std::lock_guard lock(callback_mutex_);
  if (on_stop_) on_stop_(code, why);
}

RelayTally CallLog::tally() const {
  const std::lock_guard lock(mutex_);
  return tally_;
}

}  // namespace sanduk
