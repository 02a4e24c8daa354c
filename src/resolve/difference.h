// What changes from one profile, or plan, to another, and which of it lets the box do more.
#pragma once

#include <string>
#include <vector>

#include "config/widen.h"
#include "plan/plan.h"
#include "profile/profile.h"

namespace sanduk {

struct Difference {
  std::string key;     // "network.mode"; of a plan "relay.models"
  std::string before;  // as TOML or plain words; empty: not set. Never a secret
  std::string after;
  std::string before_origin;  // "base.toml:4", "default"; empty for plans
  std::string after_origin;
  std::vector<std::string> removed;  // of lists
  std::vector<std::string> added;
  Change change = Change::neutral;
};

// In the order of the table of settings.
std::vector<Difference> differences(const Profile& before, const Profile& after);

// In the order of the plan's members.
std::vector<Difference> differences(const Plan& before, const Plan& after);

}  // namespace sanduk
