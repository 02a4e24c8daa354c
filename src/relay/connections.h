// The threads that serve clients, one a connection: started, counted, waited for.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "base/files.h"
#include "relay/socket.h"

namespace sanduk {

class Connections {
 public:
  using Serve = std::function<void(FileDescriptor)>;
  explicit Connections(Serve serve) : serve_(std::move(serve)) {}
  ~Connections() { join_all(); }

  // Serves `socket` on a thread of its own. False (the socket is closed): no thread could be had.
  bool start(FileDescriptor socket);
  // Waits, at most until `deadline`, until fewer than `count` are served.
  bool wait_until_fewer_than(std::size_t count, Clock::time_point deadline);
  void join_all();

 private:
  struct Thread {
    Connections* owner;
    std::uint64_t id;
    FileDescriptor socket;
  };
  static void* run(void* argument);
  void reap();

  Serve serve_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, pthread_t> running_;
  std::vector<pthread_t> done_;  // ended, to be joined
};

}  // namespace sanduk
