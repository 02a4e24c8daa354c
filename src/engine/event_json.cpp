#include "base/json.h"
#include "base/text.h"
#include "engine/record.h"

namespace sanduk {
namespace {

std::string kind_word(AgentEvent::Kind kind) {
  switch (kind) {
    case AgentEvent::Kind::started:
      return "started";
    case AgentEvent::Kind::text:
      return "text";
    case AgentEvent::Kind::tool:
      return "tool";
    case AgentEvent::Kind::retry:
      return "retry";
    case AgentEvent::Kind::error:
      return "error";
    case AgentEvent::Kind::result:
      break;
  }
  return "result";
}

// What of an event goes into its line, beside the time.
struct Writer {
  JsonWriter& json;

  bool operator()(const RunStarted& event) const {
    json.field("kind", "run-started").field("run", event.run_id);
    return true;
  }
  bool operator()(const StepStarted& event) const {
    json.field("kind", "step-started").field("step", event.step);
    if (!event.detail.empty()) json.field("detail", event.detail);
    return true;
  }
  bool operator()(const StepEnded& event) const {
    json.field("kind", "step-ended").field("step", event.step).field("seconds", event.seconds);
    if (!event.failure.empty()) json.field("failure", event.failure);
    return true;
  }
  bool operator()(const AgentSaid& event) const {
    json.field("kind", "agent").field("what", kind_word(event.event.kind));
    if (!event.event.tool.empty()) json.field("tool", event.event.tool);
    json.field("text", event.event.text);
    return true;
  }
  bool operator()(const CallEnded& event) const {
    json.field("kind", "call");
    write_call(json, event.call);
    return true;
  }
  bool operator()(const Note& event) const {
    json.field("kind", "note").field("text", event.text);
    return true;
  }
  bool operator()(const AgentPrinted&) const { return false; }  // agent.err has it
  bool operator()(const Tick&) const { return false; }
};

}  // namespace

std::string event_json(const Event& event, const std::string& time) {
  JsonWriter json;
  json.begin_object().field("time", time);
  if (!std::visit(Writer{json}, event)) return "";
  json.end_object();
  return json.text();
}

}  // namespace sanduk
