// Connections to the provider that wait for their next request: last in, first out, checked before they are used.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "relay/limits.h"
#include "relay/upstream_connection.h"

namespace sanduk {

class UpstreamPool {
 public:
  explicit UpstreamPool(const Limits& limits) : limits_(limits) {}

  // The most recently used connection that is still open and quiet; nothing if there is none.
  std::unique_ptr<UpstreamConnection> take();
  void give(std::unique_ptr<UpstreamConnection> connection);
  void clear();

 private:
  const Limits& limits_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<UpstreamConnection>> idle_;
};

}  // namespace sanduk
