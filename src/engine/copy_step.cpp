#include "engine/run.h"
#include "engine/step.h"
#include "engine/workspace_copy.h"

namespace sanduk {
namespace {

// The copy that the box gets in the workspace's place. It stays with the record: `sanduk changes` and `sanduk take` are
// what it is for.
class CopyStep : public Step {
 public:
  explicit CopyStep(Run& run) : run_(run) {}

  std::string name() const override { return "copy"; }
  std::string detail() const override { return run_.original_workspace; }

  void perform() override {
    make_workspace_copy(run_.world, run_.original_workspace, run_.record.directory());
    run_.check_interrupted();
  }

 private:
  Run& run_;
};

}  // namespace

std::unique_ptr<Step> make_copy_step(Run& run) { return std::make_unique<CopyStep>(run); }

}  // namespace sanduk
