#include "engine/runs.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "base/text.h"
#include "engine/codes.h"
#include "engine/engine_client.h"
#include "engine/reap.h"
#include "engine/run_directory.h"

namespace sanduk {
namespace {

// An owner that was asked to end needs time for its undo: at most that of one stubborn container.
constexpr std::chrono::seconds owner_ends_within(45);

BoxNames names_of(const KnownRun& run) {
  BoxNames names;
  names.run_id = run.container();
  names.engine = run.engine;
  return names;
}

// Both end with the same digits.
std::string digits_of(const std::string& name) { return name.substr(name.rfind('-') + 1); }

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Surveyor {
 public:
  Surveyor(World& world, const StateDirectory& state) : world_(world), state_(state) {}

  Survey take(const std::vector<PlannedEngine>& engines, bool only, bool history) {
    read_records();
    for (const PlannedEngine& engine : engines) ask(engine, only);
    // One stopped engine beside another that answers is nothing to stop at, unless it holds something of ours.
    for (const auto& [engine, fault] : silent_) {
      const bool holds = std::any_of(survey_.runs.begin(), survey_.runs.end(), [&, name = engine](const KnownRun& run) {
        return !run.is_over() && run.record && run.record->container_requested && run.engine.name == name;
      });
      (answered_ && !holds ? survey_.warnings : survey_.faults).push_back(fault);
    }
    if (!history) {
      std::erase_if(survey_.runs, [](const KnownRun& run) { return run.is_over() && !run.box; });
    }
    std::stable_sort(survey_.runs.begin(), survey_.runs.end(), [](const KnownRun& a, const KnownRun& b) {
      return (a.record ? a.record->started : "") < (b.record ? b.record->started : "");
    });
    return std::move(survey_);
  }

 private:
  void read_records() {
    for (const std::string& name : names_in(state_.runs())) {
      FileResult<RunRecord> record = load_run_record(state_.run(name));
      if (!record) continue;
      KnownRun run;
      run.engine = record->engine;
      run.owner = record->owner;
      run.record = std::move(*record);
      run.owner_lives = !run.is_over() && is_alive(run.owner);
      survey_.runs.push_back(std::move(run));
    }
  }

  void ask(const PlannedEngine& engine, bool only) {
    const ProcessResult listed =
        world_.run({.argv = list_command(engine), .variables = {}, .input = {}}, engine_patience);
    if (!listed.started && !only) return;  // not installed
    if (!listed.ok()) {
      silent_.emplace_back(engine.name, engine_fault(engine, listed).diagnostic);
      return;
    }
    try {
      for (ListedBox& box : read_list(listed.output, engine)) add(engine, std::move(box));
      answered_ = true;
    } catch (const RunError& fault) {
      survey_.faults.push_back(fault.diagnostic);
    }
  }

  void add(const PlannedEngine& engine, ListedBox box) {
    // What holds a run's network is part of that run, as long as there is one.
    if (box.run_id != box.name && box.name == box.run_id + "-hold") {
      const bool known = std::any_of(survey_.runs.begin(), survey_.runs.end(),
                                     [&](const KnownRun& run) { return run.container() == box.run_id; });
      if (known) return;
    }
    for (KnownRun& run : survey_.runs) {
      if (run.box || !run.record || run.record->container != box.name) continue;
      run.box = std::move(box);
      run.engine = engine;
      return;
    }
    KnownRun run;
    run.engine = engine;
    run.owner = {box.owner_pid, box.owner_start_time};
    run.owner_lives = is_alive(run.owner);
    run.ours = box.state_directory == state_.root.string();
    run.box = std::move(box);
    survey_.runs.push_back(std::move(run));
  }

  World& world_;
  const StateDirectory& state_;
  Survey survey_;
  std::vector<std::pair<std::string, Diagnostic>> silent_;
  bool answered_ = false;
};

// The owner undoes its run on SIGTERM. True when it is gone.
bool end_owner(const Owner& owner) {
  if (kill(static_cast<pid_t>(owner.pid), SIGTERM) != 0) return false;
  const auto until = std::chrono::steady_clock::now() + owner_ends_within;
  while (is_alive(owner) && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return !is_alive(owner);
}

RunAction owner_is_stubborn(const Owner& owner) {
  return {false, "process " + std::to_string(owner.pid) + ", which owns it, did not end; only its own user can end it"};
}

}  // namespace

std::string KnownRun::state() const {
  if (is_over()) return box ? "kept" : state_word(record->state);
  if (!owner_lives) return "orphaned";
  return record ? state_word(record->state) : box->state;
}

Survey survey_runs(World& world, const StateDirectory& state, const std::vector<PlannedEngine>& engines, bool only,
                   bool history) {
  return Surveyor(world, state).take(engines, only, history);
}

std::vector<const KnownRun*> runs_named(const std::vector<KnownRun>& runs, const std::string& word) {
  std::vector<const KnownRun*> found;
  if (word == "last") {
    if (!runs.empty()) found.push_back(&runs.back());
    return found;
  }
  for (const KnownRun& run : runs) {
    if (run.id() == word || run.container() == word) return {&run};
    const bool part = word.size() >= 3 && (run.id().starts_with(word) || digits_of(run.container()).starts_with(word));
    if (part) found.push_back(&run);
  }
  return found;
}

RunAction stop_run(World& world, const KnownRun& run) {
  if (run.owner_lives) {
    return end_owner(run.owner) ? RunAction{true, "stopped"} : owner_is_stubborn(run.owner);
  }
  if (!run.box) return {true, "has no container"};
  const ProcessResult stopped =
      world.run({.argv = stop_command(names_of(run)), .variables = {}, .input = {}}, engine_patience);
  return stopped.ok() ? RunAction{true, "stopped"} : RunAction{false, last_words(stopped)};
}

RunAction clean_run(World& world, const StateDirectory& state, const KnownRun& run) {
  if (run.owner_lives && !end_owner(run.owner)) return owner_is_stubborn(run.owner);
  if (run.ours && run.record && !run.is_over() && !run.owner_lives) {
    return abandon(world, state, run.record->run_id)
               ? RunAction{true, "removed"}
               : RunAction{false, run.engine.name + " did not remove its container"};
  }
  if (!run.box) return {true, "removed"};
  return remove_container(world, names_of(run), false) ? RunAction{true, "removed"}
                                                       : RunAction{false, run.engine.name + " did not remove it"};
}

std::vector<std::string> remove_stray_directories(const StateDirectory& state) {
  std::set<std::string> owned;
  for (const std::string& run_id : names_in(state.live())) {
    if (FileResult<RunRecord> record = load_run_record(state.run(run_id))) owned.insert(record->run_directory);
  }
  std::vector<std::string> removed;
  // Only directories that a record of ours has named: another state directory's runs are not known here.
  for (const std::string& run_id : names_in(state.runs())) {
    FileResult<RunRecord> record = load_run_record(state.run(run_id));
    if (!record || record->run_directory.empty() || owned.contains(record->run_directory)) continue;
    std::error_code error;
    if (!std::filesystem::exists(record->run_directory, error)) continue;
    if (remove_run_directory(record->run_directory)) removed.push_back(record->run_directory);
  }
  return removed;
}

}  // namespace sanduk
