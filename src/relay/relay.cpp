#include "relay/relay.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>

#include "base/portable.h"
#include "relay/connections.h"
#include "relay/listener.h"
#include "relay/request_handler.h"
#include "relay/service.h"
#include "relay/signal_mask.h"

namespace sanduk {

class Relay::Implementation {
 public:
  explicit Implementation(RelaySettings settings)
      : service_(std::move(settings)), connections_([this](FileDescriptor socket) { serve(std::move(socket)); }) {}

  void listen(Listener listener) {
    const std::lock_guard lock(mutex_);
    url_ = listener.url;
    listeners_.push_back(std::make_unique<Listener>(std::move(listener)));
    const SignalMask masked;
    acceptors_.emplace_back([this, one = listeners_.back().get()] { accept_from(*one); });
  }

  std::string url() const {
    const std::lock_guard lock(mutex_);
    return url_;
  }

  void prewarm() {
    const std::lock_guard lock(mutex_);
    if (prewarmer_.joinable() || service_.drain.is_set()) return;
    const SignalMask masked;
    prewarmer_ = std::thread([this] { service_.source->prewarm(); });
  }

  void stop(double grace_seconds) {
    const std::lock_guard once(stop_mutex_);
    service_.drain.set();
    {
      const std::lock_guard lock(mutex_);
      for (std::thread& acceptor : acceptors_) acceptor.join();
      acceptors_.clear();
    }
    const auto grace = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(grace_seconds));
    connections_.wait_until_fewer_than(1, Clock::now() + grace);
    service_.stop.set();
    connections_.join_all();
    const std::lock_guard lock(mutex_);
    if (prewarmer_.joinable()) prewarmer_.join();
    service_.source->give_up_idle();
    for (const std::unique_ptr<Listener>& listener : listeners_) {
      if (!listener->path.empty()) unlink(listener->path.c_str());
    }
    listeners_.clear();
  }

  RelayTally tally() const { return service_.log.tally(); }

 private:
  void serve(FileDescriptor socket) {
    ClientSocket client(std::move(socket), service_.limits, service_.stop, service_.drain);
    while (RequestHandler(service_, client).run() && !service_.stop.is_set()) {
    }
  }

  void accept_from(const Listener& listener) {
    while (!service_.drain.is_set()) {
      if (wait_readable(listener.socket.get(), Clock::time_point::max(), service_.drain) != Ready::yes) continue;
      // Beyond the bound clients wait in the system's queue.
      if (!connections_.wait_until_fewer_than(service_.limits.connections,
                                              Clock::now() + std::chrono::milliseconds(100)))
        continue;
      FileDescriptor socket(accept_socket(listener.socket.get()));
      const bool full = !socket && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
      if (socket) connections_.start(std::move(socket));
      if (!full) continue;
      // Out of descriptors: it heals when calls end, so free what can be freed and look again.
      service_.source->give_up_idle();
      wait_until(Clock::now() + std::chrono::milliseconds(50), service_.drain, -1);
    }
  }

  Service service_;
  Connections connections_;
  mutable std::mutex mutex_;  // guards what follows
  std::mutex stop_mutex_;
  std::string url_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::thread> acceptors_;
  std::thread prewarmer_;
};

Relay::Relay(RelaySettings settings) : implementation_(std::make_unique<Implementation>(std::move(settings))) {}

Relay::~Relay() { stop(); }

void Relay::listen_unix(const std::string& socket_path) { implementation_->listen(listen_on_unix(socket_path)); }

void Relay::listen_tcp(const std::string& host, int port) { implementation_->listen(listen_on_tcp(host, port)); }

std::string Relay::url() const { return implementation_->url(); }

void Relay::prewarm() { implementation_->prewarm(); }

void Relay::stop(double grace_seconds) { implementation_->stop(grace_seconds); }

RelayTally Relay::tally() const { return implementation_->tally(); }

}  // namespace sanduk
