#include "engine/run.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/portable.h"
#include "engine/codes.h"
#include "engine/step.h"
#include "engine/stop_signals.h"

namespace sanduk {

StopRequest::StopRequest() {
  std::array<int, 2> ends{};
  if (!make_pipe(ends, true)) throw std::system_error(errno, std::generic_category(), "pipe");
  read_ = FileDescriptor(ends[0]);
  write_ = FileDescriptor(ends[1]);
}

void StopRequest::ask(const std::string& code, const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (words_) return;
  words_ = Words{code, why};
  write_all(write_.get(), "!");
}

std::optional<StopRequest::Words> StopRequest::asked() const {
  const std::lock_guard lock(mutex_);
  return words_;
}

void Run::check_interrupted() {
  if (const int signal = take_stop_signal(world.stop_fd); signal != 0) throw Interrupted{signal};
}

Child Run::start_client(const Command& command) {
  try {
    Child child = world.start(command);
    watcher.started_client(child.pid());
    return child;
  } catch (const std::system_error& fault) {
    throw RunError(Failure::host,
                   error(std::string(codes::engine_missing), std::string("cannot start ") + fault.what()));
  }
}

std::vector<std::unique_ptr<Step>> steps_for(const Plan& plan, Run& run) {
  std::vector<std::unique_ptr<Step>> steps;
  steps.push_back(make_engine_step(run));
  steps.push_back(make_image_step(run));
  if (run.goal == Goal::build) return steps;
  if (plan.workspace.mode == WorkspaceMode::copy) steps.push_back(make_copy_step(run));
  if (plan.transport == Transport::gateway) steps.push_back(make_network_step(run));
  if (plan.transport != Transport::none) steps.push_back(make_relay_step(run));
  steps.push_back(make_container_step(run));
  steps.push_back(make_agent_step(run));
  steps.push_back(make_collect_step(run));
  if (plan.verify && run.goal == Goal::run) steps.push_back(make_verify_step(run));
  return steps;
}

}  // namespace sanduk
