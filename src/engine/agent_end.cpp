#include "engine/agent_end.h"

#include "base/text.h"
#include "engine/codes.h"

namespace sanduk {
namespace {

Ending host_fault(std::string_view code, const std::string& message, const std::vector<std::string>& notes,
                  const std::string& errors) {
  Diagnostic diagnostic = error(std::string(code), message);
  for (const std::string& note : notes) diagnostic.note(note);
  if (const std::string words = last_words(errors); !words.empty()) diagnostic.note(words);
  return ended_by(RunError(Failure::host, diagnostic));
}

// gVisor's own network stack takes over the interface that the engine made, which not every machine lets it do.
bool has_no_network_of_its_own(const std::string& errors) {
  return errors.find("cannot run with network enabled") != std::string::npos;
}

Ending not_started(const AgentEnd& end, const Plan& plan, const BoxNames& names) {
  const std::string with = plan.oci_runtime.empty() ? "" : " with the runtime " + plan.oci_runtime;
  Ending ending =
      host_fault(codes::container_failed, names.engine.name + " could not start the container" + with, {}, end.errors);
  if (has_no_network_of_its_own(end.errors)) {
    ending.diagnostic->note("gVisor can have no network on this machine, only a mounted socket")
        .with_help(
            "register the runtime with \"runtimeArgs\": [\"--host-uds=open\", \"--network=none\"], and use the mode "
            "\"sealed\" with the transport \"socket\"");
  }
  return ending;
}

Ending agent_fault(std::string_view code, const std::string& message, int exit_code, const AgentEnd& end) {
  Diagnostic diagnostic = error(std::string(code), message);
  if (!end.result.text.empty()) diagnostic.note(last_words(end.result.text));
  if (const std::string words = last_words(end.errors); !words.empty()) diagnostic.note(words);
  return {RunStatus::agent_failed, exit_code, diagnostic};
}

}  // namespace

Ending judge_agent_end(const AgentEnd& end, const Plan& plan, const BoxNames& names) {
  const std::string agent = plan.agent.name.empty() ? "the agent" : "the agent (" + plan.agent.name + ")";
  if (!end.container) {
    return host_fault(codes::container_failed, names.engine.name + " lost the container while the agent was at work",
                      {}, end.errors);
  }
  if (end.container->status == "created") return not_started(end, plan, names);
  if (end.container->status != "exited" && end.container->status != "dead" && end.container->status != "stopped") {
    return host_fault(codes::container_failed,
                      "the connection to the container was lost while the agent was at work (it is " +
                          printable(end.container->status) + ")",
                      {}, end.errors);
  }
  const int code = end.container->exit_code;
  const bool helper_spoke = end.errors.find("sanduk box: ") != std::string::npos;
  if (code == box_helper_failed && (!end.box_faults.empty() || helper_spoke)) {
    return host_fault(codes::box_broken, "the box is not what the plan says; the agent was not started", end.box_faults,
                      end.errors);
  }
  if (end.container->out_of_memory && code != 0) {
    Ending ending = agent_fault(codes::out_of_memory,
                                agent + " was ended because the box had used up its " +
                                    human_bytes(static_cast<std::uint64_t>(plan.limits.memory_bytes)) + " of memory",
                                code, end);
    ending.diagnostic->with_help("raise caps.memory");
    return ending;
  }
  if (code == 137) {
    Ending ending = agent_fault(codes::agent_failed, agent + " was killed from outside (exit code 137)", code, end);
    ending.diagnostic->with_help("if nobody did, the kernel did, for memory: raise caps.memory");
    return ending;
  }
  if (code != 0) {
    return agent_fault(codes::agent_failed, agent + " ended with exit code " + std::to_string(code), code, end);
  }
  if (!end.result.final_record) {
    return agent_fault(codes::no_final_result, agent + " ended without a final result", 1, end);
  }
  if (end.result.failed) return agent_fault(codes::agent_failed, agent + " says that it failed", 1, end);
  return {};
}

}  // namespace sanduk
