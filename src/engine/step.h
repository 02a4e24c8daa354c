// One thing that a run does, and how it is taken back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace sanduk {

struct Run;

class Step {
 public:
  virtual ~Step() = default;
  virtual std::string name() const = 0;
  virtual std::string detail() const { return ""; }

  // Throws RunError or Interrupted; may throw anything.
  virtual void perform() = 0;
  // After a perform() that was begun, whether it came to its end or threw. Takes back whatever part was done.
  virtual void undo() {}
  // Whether undo() has something to do that is worth a line.
  virtual bool has_undo() const { return false; }
};

// What `plan` takes, in order; undone from the last that was begun to the first:
//   engine │ image │ copy │ network │ relay │ container │ agent │ collect │ verify
// A build ends after the image.
std::vector<std::unique_ptr<Step>> steps_for(const Plan& plan, Run& run);

std::unique_ptr<Step> make_engine_step(Run& run);
std::unique_ptr<Step> make_image_step(Run& run);
std::unique_ptr<Step> make_copy_step(Run& run);
std::unique_ptr<Step> make_network_step(Run& run);
std::unique_ptr<Step> make_relay_step(Run& run);
std::unique_ptr<Step> make_container_step(Run& run);
std::unique_ptr<Step> make_agent_step(Run& run);
std::unique_ptr<Step> make_collect_step(Run& run);
std::unique_ptr<Step> make_verify_step(Run& run);

}  // namespace sanduk
