// Looks at everything of this host that a run needs, one line a thing, each with what to do where it is not as it must
// be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/world.h"
#include "plan/plan.h"

namespace sanduk {

struct Finding {
  enum class Grade { ok, warn, fail };
  std::string what;  // "engine", "key", …
  Grade grade = Grade::ok;
  std::string words;
  std::string fix;  // empty when there is nothing to do
};

std::string grade_word(Finding::Grade grade);

// An engine as it is: present, running, of which version, run by whom. `candidates`: as a plan has them; the first that
// answers is the one that runs would use, and is given back.
std::optional<PlannedEngine> examine_engines(World& world, const std::vector<PlannedEngine>& candidates,
                                             std::vector<Finding>& findings);

// State directory and disk.
void examine_host(World& world, std::vector<Finding>& findings);

// What one plan needs besides: its key, its image, and a box in which the relay is reached; that box is made, looks at
// itself, and is gone again. Calls nobody outside of this host.
void examine_plan(World& world, const Plan& plan, const PlannedEngine& engine, std::vector<Finding>& findings);

// Parts of it that are pure, for their tests.
bool is_older(const std::string& version, const std::string& than);  // "20.10.24+dfsg1" than "23.0.11"
std::string key_finding_words(const std::string& key_source);
// Ports on which somebody listens on all addresses, from /proc/net/tcp or tcp6; ascending, each once.
std::vector<int> open_listeners(const std::string& table);

}  // namespace sanduk
