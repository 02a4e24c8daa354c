#include "relay/connections.h"

#include <memory>

#include "relay/signal_mask.h"

namespace sanduk {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t stack_size = std::size_t{2} << 20;
#else
constexpr std::size_t stack_size = std::size_t{256} << 10;
#endif

}  // namespace

void* Connections::run(void* argument) {
  const std::unique_ptr<Thread> thread(static_cast<Thread*>(argument));
  Connections& owner = *thread->owner;
  owner.serve_(std::move(thread->socket));
  const std::lock_guard lock(owner.mutex_);
  const auto self = owner.running_.find(thread->id);
  owner.done_.push_back(self->second);
  owner.running_.erase(self);
  owner.ended_.notify_all();
  return nullptr;
}

bool Connections::start(FileDescriptor socket) {
  reap();
  auto thread = std::make_unique<Thread>();
  thread->owner = this;
  thread->socket = std::move(socket);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_size);
  bool started = false;
  {
    const SignalMask masked;
    // The thread takes the lock before it leaves, so it finds its entry.
    const std::lock_guard lock(mutex_);
    thread->id = ++last_id_;
    pthread_t handle{};
    started = pthread_create(&handle, &attributes, &Connections::run, thread.get()) == 0;
    if (started) running_.emplace(thread.release()->id, handle);
  }
  pthread_attr_destroy(&attributes);
  return started;
}

void Connections::reap() {
  std::vector<pthread_t> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(done_);
  }
  for (const pthread_t thread : done) pthread_join(thread, nullptr);
}

bool Connections::wait_until_fewer_than(std::size_t count, Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return ended_.wait_until(lock, deadline, [&] { return running_.size() < count; });
}

void Connections::join_all() {
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return running_.empty(); });
  }
  reap();
}

}  // namespace sanduk
