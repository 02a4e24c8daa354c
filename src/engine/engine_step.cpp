#include <unistd.h>

#include "base/text.h"
#include "engine/engine_client.h"
#include "engine/reap.h"
#include "engine/run.h"
#include "engine/step.h"
#include "plan/plan_json.h"
#include "relay/key.h"

namespace sanduk {
namespace {

// Everything that can refuse the run without having made anything: an engine that answers, a key that is accepted.
class EngineStep : public Step {
 public:
  explicit EngineStep(Run& run) : run_(run) {}

  std::string name() const override { return "engine"; }
  std::string detail() const override { return join(engine_names(run_.plan.engines), ", "); }

  void perform() override {
    FoundEngine found = find_engine(run_.plan, run_.world);
    run_.names.engine = found.engine;
    run_.names.rootless = geteuid() != 0;
    run_.image = found.image;
    check_limits();
    if (run_.state_is_new) {
      for (const std::string& words : reap_by_labels(run_.world, run_.state, found.engine)) run_.note(words);
    }
    run_.check_interrupted();
    if (run_.goal == Goal::build) return;
    run_.key = read_key(run_.plan.relay, run_.world);
    run_.check_interrupted();
    check_key(run_.plan.relay, run_.key, run_.world);
    run_.check_interrupted();
    run_.token = make_token("sanduk-run-");
  }

 private:
  // Told, and recorded: a cap that nothing holds is not one.
  void check_limits() {
    if (!run_.names.rootless || run_.names.engine.rootless_userns.empty()) return;
    if (has_rootless_limits(run_.world, run_.names.engine)) return;
    run_.names.without_limits = true;
    run_.note(
        "warning: " + run_.names.engine.name +
        " of a plain user cannot hold the box to caps.memory and caps.cpus on this machine, and caps.pids only by "
        "counting the user's processes; it needs control groups of version 2");
  }

  Run& run_;
};

}  // namespace

std::unique_ptr<Step> make_engine_step(Run& run) { return std::make_unique<EngineStep>(run); }

}  // namespace sanduk
