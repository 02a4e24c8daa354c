#include "relay/resolve_host.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "relay/signal_mask.h"

namespace sanduk {
namespace {

ResolvedHost ask_system(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (code != 0) return {{}, std::string("cannot resolve ") + host + ": " + gai_strerror(code)};
  ResolvedHost result;
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    if (one->ai_family != AF_INET && one->ai_family != AF_INET6) continue;
    SocketAddress address;
    address.size = one->ai_addrlen;
    std::memcpy(&address.bytes, one->ai_addr, one->ai_addrlen);
    result.addresses.push_back(address);
  }
  freeaddrinfo(list);
  if (result.addresses.empty()) result.why = "cannot resolve " + host + ": no address";
  return result;
}

// Shared by the caller and a thread that may outlive the caller's patience.
struct Answerer {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  ResolvedHost result;
};

}  // namespace

std::string SocketAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> literal{};
  if (family() == AF_INET) {
    sockaddr_in address{};
    std::memcpy(&address, &bytes, sizeof address);
    inet_ntop(AF_INET, &address.sin_addr, literal.data(), literal.size());
  } else {
    sockaddr_in6 address{};
    std::memcpy(&address, &bytes, sizeof address);
    inet_ntop(AF_INET6, &address.sin6_addr, literal.data(), literal.size());
  }
  return literal.data();
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

ResolvedHost resolve_host(const std::string& host, int port, Clock::time_point deadline, const StopEvent& stop) {
  if (is_address(host)) return ask_system(host, port);
  const auto shared = std::make_shared<Answerer>();
  const SignalMask masked;
  std::thread([shared, host, port] {
    ResolvedHost result = ask_system(host, port);
    const std::lock_guard lock(shared->mutex);
    shared->result = std::move(result);
    shared->done = true;
    shared->changed.notify_all();
  }).detach();
  std::unique_lock lock(shared->mutex);
  while (!shared->done && !stop.is_set() && Clock::now() < deadline) {
    shared->changed.wait_until(lock, std::min(deadline, Clock::now() + std::chrono::milliseconds(50)));
  }
  if (!shared->done) return {{}, "cannot resolve " + host + ": no answer in time"};
  return shared->result;
}

}  // namespace sanduk
