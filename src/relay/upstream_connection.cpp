#include "relay/upstream_connection.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/address.h"
#include "base/portable.h"
#include "relay/proxy.h"
#include "relay/resolve_host.h"
#include "relay/tls_connection.h"

namespace sanduk {
namespace {

using Io = UpstreamConnection::Io;

class PlainConnection : public UpstreamConnection {
 public:
  explicit PlainConnection(FileDescriptor socket) : socket_(std::move(socket)) { fd_ = socket_.get(); }

  Io read_some(char* data, std::size_t size, std::size_t* got) override {
    const ssize_t count = recv(fd_, data, size, MSG_DONTWAIT);
    if (count > 0) {
      *got = static_cast<std::size_t>(count);
      return Io::done;
    }
    if (count == 0) return Io::end;
    return errno == EAGAIN || errno == EINTR ? Io::again : Io::broken;
  }

  Ready write_all(const std::vector<std::string_view>& pieces, std::chrono::milliseconds idle,
                  const Watch& watch) override {
    std::vector<iovec> vectors;
    for (const std::string_view piece : pieces) vectors.push_back({const_cast<char*>(piece.data()), piece.size()});
    std::size_t first = 0;
    while (first < vectors.size()) {
      msghdr message{};
      message.msg_iov = vectors.data() + first;
      message.msg_iovlen = std::min<std::size_t>(vectors.size() - first, 64);
      ssize_t sent = sendmsg(fd_, &message, without_signal | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN && errno != EINTR) return Ready::peer_gone;
      if (sent < 0) {
        const Ready ready = wait_writable(fd_, Clock::now() + idle, *watch.stop, watch.client);
        if (ready != Ready::yes) return ready == Ready::peer_gone ? Ready::stopped : ready;
        continue;
      }
      for (; first < vectors.size() && static_cast<std::size_t>(sent) >= vectors[first].iov_len; ++first) {
        sent -= static_cast<ssize_t>(vectors[first].iov_len);
      }
      if (first < vectors.size()) {
        vectors[first].iov_base = static_cast<char*>(vectors[first].iov_base) + sent;
        vectors[first].iov_len -= static_cast<std::size_t>(sent);
      }
    }
    return Ready::yes;
  }

  bool has_buffered() const override { return false; }
  bool is_quiet() override { return !is_readable_now(fd_); }

 private:
  FileDescriptor socket_;
};

std::variant<FileDescriptor, ConnectFailure> connect_one(const SocketAddress& address, Clock::time_point deadline,
                                                         const Watch& watch) {
  FileDescriptor fd(make_socket(address.family()));
  // Out of descriptors: it heals when other calls end.
  while (!fd && (errno == EMFILE || errno == ENFILE) && Clock::now() < deadline) {
    const Ready ready = wait_until(Clock::now() + std::chrono::milliseconds(50), *watch.stop, watch.client);
    if (ready != Ready::timeout) return ConnectFailure{ready, ""};
    fd = FileDescriptor(make_socket(address.family()));
  }
  if (!fd) return ConnectFailure{Ready::timeout, std::string("cannot make a socket: ") + std::strerror(errno)};
  set_no_delay(fd.get());
  int code = connect(fd.get(), reinterpret_cast<const sockaddr*>(&address.bytes), address.size) == 0 ? 0 : errno;
  if (code == EINPROGRESS) {
    const Ready ready = wait_writable(fd.get(), deadline, *watch.stop, watch.client);
    if (ready != Ready::yes) return ConnectFailure{ready, "no answer in time"};
    socklen_t size = sizeof code;
    getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &code, &size);
  }
  if (code != 0) return ConnectFailure{Ready::timeout, std::strerror(code)};
  return fd;
}

}  // namespace

std::variant<FileDescriptor, ConnectFailure> connect_socket(
    const std::string& host, std::int64_t port,
    const std::function<std::optional<std::string>(const std::string& address)>& objection, const Limits& limits,
    Clock::time_point deadline, const Watch& watch) {
  const ResolvedHost resolution = resolve_host(host, static_cast<int>(port), deadline, *watch.stop);
  if (watch.stop->is_set()) return ConnectFailure{Ready::stopped, ""};
  ConnectFailure last{Ready::timeout, resolution.why};
  for (const SocketAddress& address : resolution.addresses) {
    if (Clock::now() >= deadline) break;
    if (const std::optional<std::string> why = objection ? objection(address.text()) : std::nullopt) {
      last.why = *why;
      continue;
    }
    auto connected = connect_one(address, std::min(deadline, Clock::now() + limits.connect_one), watch);
    auto* const failure = std::get_if<ConnectFailure>(&connected);
    if (failure == nullptr || failure->reason != Ready::timeout) return connected;
    last = {Ready::timeout, "cannot connect to " + host + ":" + std::to_string(port) + ": " + failure->why};
  }
  return last;
}

std::variant<std::unique_ptr<UpstreamConnection>, ConnectFailure> connect_upstream(const Way& way, const Limits& limits,
                                                                                   const Watch& watch) {
  const Clock::time_point deadline = Clock::now() + limits.connect_total;
  const std::string& host = way.proxy != nullptr ? way.proxy->host : way.target.host;
  const std::int64_t port = way.proxy != nullptr ? way.proxy->port : way.target.port;
  const bool secure = way.target.scheme == "https";
  const bool exposed = !secure && way.carries_key;
  const auto objection = [&](const std::string& address) -> std::optional<std::string> {
    if (!exposed || special_range(address) == "loopback") return std::nullopt;
    return "the key would cross the network in plain text";
  };
  auto connected = connect_socket(host, port, objection, limits, deadline, watch);
  if (auto* const failure = std::get_if<ConnectFailure>(&connected)) return *failure;
  FileDescriptor socket = std::move(std::get<FileDescriptor>(connected));
  if (!secure) return std::make_unique<PlainConnection>(std::move(socket));
  if (way.proxy != nullptr) {
    std::optional<ConnectFailure> failure = open_tunnel(socket.get(), *way.proxy, way.target, deadline, watch);
    if (failure) return *failure;
  }
  auto connection = std::make_unique<TlsConnection>(std::move(socket), *way.tls);
  std::optional<ConnectFailure> failure = connection->handshake(limits, watch);
  if (failure) return *failure;
  return connection;
}

}  // namespace sanduk
