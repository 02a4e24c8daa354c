// What a run tells while it goes on. The record, the progress display and the log listen.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "agents/agent_reader.h"
#include "relay/call.h"

namespace sanduk {

struct RunStarted {
  std::string run_id;
  std::string record_directory;
};
struct StepStarted {
  std::string step;  // "engine", "image", "relay", "container", "agent", "collect", "undo container" …
  std::string detail;
};
struct StepEnded {
  std::string step;
  double seconds = 0;
  std::string failure;  // empty: it worked
};
struct AgentSaid {
  AgentEvent event;
};
struct AgentPrinted {
  std::string bytes;  // the agent's standard error, as it came
};
struct CallEnded {
  CallRecord call;
};
struct Note {
  std::string text;
};
// Nothing happened, time went by: several a second while a step waits, for displays that show it.
struct Tick {};

using Event = std::variant<RunStarted, StepStarted, StepEnded, AgentSaid, AgentPrinted, CallEnded, Note, Tick>;
using EventListener = std::function<void(const Event&)>;

// Hands each event to all, one event at a time, from whatever thread. Throws nothing.
class EventListeners {
 public:
  void add(EventListener listener);
  void operator()(const Event& event) const;

 private:
  std::vector<EventListener> listeners_;
};

}  // namespace sanduk
