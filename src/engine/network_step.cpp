#include <unistd.h>

#include "base/embedded.h"
#include "base/text.h"
#include "engine/codes.h"
#include "engine/run.h"
#include "engine/run_directory.h"
#include "engine/step.h"

namespace sanduk {
namespace {

// A network of this run alone, whose gateway is this host: the relay listens there and nowhere else.
class NetworkStep : public Step {
 public:
  explicit NetworkStep(Run& run) : run_(run) {}

  std::string name() const override { return "network"; }
  std::string detail() const override { return run_.names.run_id; }
  bool has_undo() const override { return !run_.record.data().network.empty(); }

  void perform() override {
    // A plain user of an engine that root runs has root's networks.
    if (run_.names.rootless && !run_.names.engine.rootless_userns.empty())
      throw refused("a network of a plain user's engine does not reach this host");
    run_.names.network = run_.names.run_id;
    // From here on the network is ours, whether or not the engine has made it yet.
    run_.record.update([&](RunRecord& record) {
      record.engine = run_.names.engine;
      record.network = run_.names.network;
    });
    const bool leads_out = run_.plan.mode != NetworkMode::sealed;
    ask(create_network_command(run_.names, leads_out));
    if (run_.names.engine.needs_holder) start_holder();
    settled_ = true;
    run_.gateway = read_gateway(ask(inspect_network_command(run_.names)), run_.names.engine, leads_out);
  }

  void undo() override {
    if (run_.record.data().network.empty()) return;
    if (remove_network(run_.world, run_.names, !settled_)) {
      run_.record.update([](RunRecord& record) { record.network.clear(); });
      return;
    }
    run_.left_over = true;
    run_.note(run_.names.engine.name + " did not remove the network " + run_.names.network);
  }

 private:
  static RunError refused(const std::string& why) {
    Diagnostic diagnostic = error(std::string(codes::network_failed), "the transport `gateway` cannot be had: " + why);
    diagnostic.with_help("use network.transport = \"socket\"");
    return {Failure::host, diagnostic};
  }

  void start_holder() {
    const std::optional<std::string_view> helper = embedded_file("box");
    if (!helper)
      throw RunError(Failure::internal, error(std::string(codes::internal_error), "no helper in this program"));
    const std::filesystem::path holder = make_below(run_.directory, "holder", 0755);
    write_below(holder, "box", *helper, 0755);
    BoxNames names = run_.names;
    names.helper_directory = holder.string();
    ask(start_holder_command(names));
  }

  std::string ask(const std::vector<std::string>& argv) {
    const ProcessResult result = run_.world.run({.argv = argv, .variables = {}, .input = {}}, engine_patience);
    run_.check_interrupted();
    if (result.ok()) return result.output;
    throw refused(run_.names.engine.name + " says: " + last_words(result));
  }

  Run& run_;
  bool settled_ = false;  // the engine has answered all that makes something
};

}  // namespace

std::unique_ptr<Step> make_network_step(Run& run) { return std::make_unique<NetworkStep>(run); }

}  // namespace sanduk
