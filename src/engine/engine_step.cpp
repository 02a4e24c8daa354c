#include <unistd.h>

#include "base/text.h"
#include "engine/engine_client.h"
#include "engine/reap.h"
#include "engine/run.h"
#include "engine/step.h"
#include "relay/key.h"

namespace sanduk {
namespace {

// Everything that can refuse the run without having made anything: an engine that answers, a key that is accepted.
class EngineStep : public Step {
 public:
  explicit EngineStep(Run& run) : run_(run) {}

  std::string name() const override { return "engine"; }
  std::string detail() const override { return join(run_.plan.engines, ", "); }

  void perform() override {
    FoundEngine found = find_engine(run_.plan, run_.world);
    run_.names.engine = found.name;
    run_.names.rootless = found.name == "podman" && geteuid() != 0;
    run_.image = found.image;
    if (run_.state_is_new) {
      for (const std::string& words : reap_by_labels(run_.world, run_.state, found.name)) run_.note(words);
    }
    run_.check_interrupted();
    run_.key = read_key(run_.plan.relay, run_.world);
    run_.check_interrupted();
    check_key(run_.plan.relay, run_.key, run_.world);
    run_.check_interrupted();
    run_.token = make_token("sanduk-run-");
  }

 private:
  Run& run_;
};

}  // namespace

std::unique_ptr<Step> make_engine_step(Run& run) { return std::make_unique<EngineStep>(run); }

}  // namespace sanduk
