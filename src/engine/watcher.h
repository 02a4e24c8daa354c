// A small process that outlives the tool, to clean up where the tool was killed and could not.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/files.h"
#include "base/world.h"
#include "engine/run_record.h"

namespace sanduk {

// Forked before the key is read and before there are threads, so that it holds neither. It waits on a pipe whose other
// end only the owner has; when that closes without a word of farewell, the owner is dead: it ends the engine's client
// and does what reaping does.
class Watcher {
 public:
  // `key_source` as in the plan: where it names a variable, the watcher wipes its copy. A watcher that cannot be made
  // is none: the next run's reaping remains.
  Watcher(World& world, const StateDirectory& state, const std::string& run_id, const std::string& key_source);
  ~Watcher();  // farewell, and waits for its end
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // The engine's client that runs now, for the watcher to end: it would go on by itself.
  void started_client(pid_t pid);

  // Leaves without a word: the watcher takes over what could not be removed.
  void hand_over();

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  FileDescriptor pipe_;
};

}  // namespace sanduk
