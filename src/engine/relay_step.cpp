#include <sys/stat.h>

#include "engine/codes.h"
#include "engine/run.h"
#include "engine/run_directory.h"
#include "engine/step.h"

namespace sanduk {
namespace {

// Answers that are under way when the agent has ended may still bring their counts.
constexpr double grace_seconds = 1;

class RelayStep : public Step {
 public:
  explicit RelayStep(Run& run) : run_(run) {}

  std::string name() const override { return "relay"; }
  std::string detail() const override { return run_.plan.relay.provider; }
  bool has_undo() const override { return run_.relay != nullptr; }

  void perform() override {
    // The box's user needs to find the socket in here; nobody else gets through the parent, which is 0700.
    const std::filesystem::path directory = make_below(run_.directory, "relay", 0755);
    const std::filesystem::path socket = directory / std::filesystem::path(box_socket).filename();
    if (socket.string().size() > most_socket_path) throw too_long(socket.string());
    run_.relay = std::make_unique<Relay>(settings());
    run_.relay->listen_unix(socket.string());
    run_.relay->prewarm();
    chmod(directory.c_str(), 0555);
    run_.names.socket_directory = directory.string();
  }

  void undo() override {
    if (!run_.relay) return;
    run_.relay->stop(grace_seconds);
    run_.tally = run_.relay->tally();
    run_.relay.reset();
  }

 private:
  static RunError too_long(const std::string& socket) {
    Diagnostic diagnostic =
        error(std::string(codes::socket_path_too_long),
              "the relay's socket would be " + socket + ", which is longer than a socket's path may be");
    diagnostic.with_help("set XDG_RUNTIME_DIR to a directory with a shorter path");
    return {Failure::host, diagnostic};
  }

  RelaySettings settings() {
    RelaySettings settings;
    settings.plan = run_.plan.relay;
    settings.log = run_.plan.log;
    if (settings.log.bodies != BodyLog::none || settings.log.responses) {
      if (settings.log.directory.empty()) settings.log.directory = (run_.record.directory() / "bodies").string();
      if (const std::optional<FileError> failed = make_private_directory(settings.log.directory)) {
        throw RunError(Failure::host, error(std::string(codes::record_unwritable), failed->message));
      }
    }
    settings.key = run_.key.copy();
    settings.token = run_.token.copy();
    if (run_.plan.relay.upstream) settings.proxy = proxy_for(*run_.plan.relay.upstream, run_.world);
    // These are called from the relay's threads. They touch what Run says outlives the relay, under its locks.
    settings.judge_box = [&run = run_](std::string_view report) {
      Plan expected = run.plan;
      if (run.names.without_limits) expected.limits = {};
      std::vector<std::string> faults = check_box_report(report, expected, run.key);
      const std::lock_guard lock(run.box_mutex);
      run.box_faults = faults;
      return faults;
    };
    settings.on_call = [&run = run_](const CallRecord& call) { run.tell(CallEnded{call}); };
    settings.on_stop = [&run = run_](const std::string& code, const std::string& why) { run.stop.ask(code, why); };
    return settings;
  }

  Run& run_;
};

}  // namespace

std::unique_ptr<Step> make_relay_step(Run& run) { return std::make_unique<RelayStep>(run); }

}  // namespace sanduk
