#include <sys/stat.h>

#include "base/text.h"
#include "engine/codes.h"
#include "engine/doctor.h"
#include "engine/run.h"
#include "engine/run_directory.h"
#include "engine/step.h"

namespace sanduk {
namespace {

// Answers that are under way when the agent has ended may still bring their counts.
constexpr double grace_seconds = 1;
constexpr std::size_t most_probed = 64;

class RelayStep : public Step {
 public:
  explicit RelayStep(Run& run) : run_(run) {}

  std::string name() const override { return "relay"; }
  std::string detail() const override { return run_.plan.relay.provider; }
  bool has_undo() const override { return run_.relay != nullptr; }

  void perform() override {
    if (run_.plan.transport == Transport::gateway) return listen_on_gateway();
    // The box's user needs to find the socket in here; nobody else gets through the parent, which is 0700.
    const std::filesystem::path directory = make_below(run_.directory, "relay", 0755);
    const std::filesystem::path socket = directory / std::filesystem::path(box_socket).filename();
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
  void listen_on_gateway() {
    run_.relay = std::make_unique<Relay>(settings());
    try {
      run_.relay->listen_tcp(run_.gateway, 0);
    } catch (RunError& fault) {
      fault.diagnostic.note("the engine's bridge is not on this host: Docker Desktop, Colima and Lima keep it in a VM")
          .with_help("use an engine on this kernel, or network.transport = \"socket\"");
      throw;
    }
    run_.relay->prewarm();
    constexpr std::string_view scheme = "http://";
    run_.names.relay_address = run_.relay->url().substr(scheme.size());
    // What listens on all addresses of this host is in reach of the box, too: it tries, and tells.
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
      FileResult<std::string> text = read_file(table, std::size_t{4} << 20);
      if (!text) continue;
      for (const int port : open_listeners(*text)) {
        if (run_.names.probe_ports.size() < most_probed) run_.names.probe_ports.push_back(port);
      }
    }
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
    settings.tunnels = tunnel_targets(run_.plan.relay.hosts, run_.world);
    // These are called from the relay's threads. They touch what Run says outlives the relay, under its locks.
    settings.judge_box = [&run = run_](std::string_view report) {
      std::vector<std::string> faults = check_box_report(report, expected_of(run.plan, run.names), run.key);
      if (const std::vector<std::string> ports = reachable_host_ports(report); !ports.empty()) {
        run.note("warning: the box reaches services of this host that listen on all addresses: ports " +
                 join(ports, ", "));
      }
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
