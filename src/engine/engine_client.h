// Talks to a container engine through its command-line client, and puts its refusals in words.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/world.h"
#include "container/box.h"
#include "diagnostics/diagnostic.h"
#include "plan/plan.h"

namespace sanduk {

struct FoundImage {
  bool exists = false;
  std::string id;
  std::string agent_uid;  // label sanduk.agent-uid; empty: none
};

// A ready engine and what it has under the plan's image name, in one question. Throws RunError where none of the
// plan's candidates answers: missing, stopped or refusing us are three codes.
struct FoundEngine {
  PlannedEngine engine;
  FoundImage image;
};
FoundEngine find_engine(const Plan& plan, World& world);

// Why the engine gave no answer, in words, and what to do: missing, stopped or refusing us.
RunError engine_fault(const PlannedEngine& engine, const ProcessResult& result);

// Whether the engine, run by a plain user, can hold a box to its memory, processors and processes: only where control
// groups of version 2 were handed to that user.
bool has_rootless_limits(World& world, const PlannedEngine& engine);

// Throws RunError where the engine does not answer; an image that is not there is an answer.
FoundImage inspect_image(World& world, const PlannedEngine& engine, const std::string& ref);

// What `inspect` says of our container. Nothing when there is none, or the engine does not answer.
struct ContainerState {
  std::string status;  // "created", "running", "exited", …
  int exit_code = -1;
  bool out_of_memory = false;
};
std::optional<ContainerState> inspect_container(World& world, const BoxNames& names);

// Kills and removes it, patiently; true once the engine has said that there is no such container. `may_still_appear`:
// a `create` was cut short, so that the engine may be making the container right now.
bool remove_container(World& world, const BoxNames& names, bool may_still_appear);

// Removes the network of a run, and what held it; true when neither is there any more. `may_still_appear`: as above.
bool remove_network(World& world, const BoxNames& names, bool may_still_appear);

// The end of what a program printed, safe to show, for a diagnostic's note; empty when it printed nothing.
std::string last_words(const ProcessResult& result);
std::string last_words(std::string_view output);

constexpr std::chrono::seconds engine_patience(30);  // for one question

// While it lives, nothing that runs through `world` is cut short by a signal.
class Undisturbed {
 public:
  explicit Undisturbed(World& world) : world_(world), stop_fd_(world.stop_fd) { world.stop_fd = -1; }
  ~Undisturbed() { world_.stop_fd = stop_fd_; }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  World& world_;
  int stop_fd_;
};

}  // namespace sanduk
