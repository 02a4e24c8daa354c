#include "relay/upstream_pool.h"

namespace sanduk {

std::unique_ptr<UpstreamConnection> UpstreamPool::take() {
  for (;;) {
    std::unique_ptr<UpstreamConnection> connection;
    {
      const std::lock_guard lock(mutex_);
      if (idle_.empty()) return nullptr;
      connection = std::move(idle_.back());
      idle_.pop_back();
    }
    const bool fresh = Clock::now() - connection->idle_since < limits_.idle_upstream_age;
    if (fresh && connection->is_quiet()) return connection;
  }
}

void UpstreamPool::give(std::unique_ptr<UpstreamConnection> connection) {
  connection->idle_since = Clock::now();
  connection->reused = true;
  std::unique_ptr<UpstreamConnection> oldest;  // closed without the lock
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(connection));
  if (idle_.size() <= limits_.idle_upstreams) return;
  oldest = std::move(idle_.front());
  idle_.erase(idle_.begin());
}

void UpstreamPool::clear() {
  std::vector<std::unique_ptr<UpstreamConnection>> all;
  const std::lock_guard lock(mutex_);
  all.swap(idle_);
}

}  // namespace sanduk
