#include "relay/upstream_connection.h"

#include <Poco/Exception.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <Poco/Net/StreamSocketImpl.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "relay/resolve_host.h"
#include "relay/tls.h"

namespace sanduk {
namespace {

using Io = UpstreamConnection::Io;

// Small requests go out as one write; large bodies are not copied.
constexpr std::size_t joined_size = 16384;

std::string joined(const std::vector<std::string_view>& pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

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
      ssize_t sent = sendmsg(fd_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
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

 private:
  FileDescriptor socket_;
};

class TlsConnection : public UpstreamConnection {
 public:
  TlsConnection(FileDescriptor socket, const std::string& server_name, const Poco::Net::Context::Ptr& context) {
    fd_ = socket.get();
    Poco::Net::StreamSocket plain(new Poco::Net::StreamSocketImpl(socket.release()));
    // Non-blocking before TLS is attached: the handshake is then driven by handshake() below.
    plain.setBlocking(false);
    socket_ = Poco::Net::SecureStreamSocket::attach(plain, server_name, context);
  }

  ~TlsConnection() override {
    try {
      // Close without waiting for the peer's close_notify.
      socket_.close();
    } catch (const Poco::Exception&) {
    }
  }

  std::optional<ConnectFailure> handshake(const std::string& host, const Limits& limits, const Watch& watch) {
    const Clock::time_point deadline = Clock::now() + limits.handshake;
    try {
      for (;;) {
        ERR_clear_error();
        const int code = socket_.completeHandshake();
        if (code >= 0) break;
        const Ready ready = code == Poco::Net::SecureStreamSocket::ERR_SSL_WANT_WRITE
                                ? wait_writable(fd_, deadline, *watch.stop, watch.client)
                                : wait_readable(fd_, deadline, *watch.stop, watch.client);
        if (ready != Ready::yes) return ConnectFailure{ready, "the TLS handshake took too long"};
      }
      const std::string fault = check_certificate_name(socket_, host);
      if (!fault.empty()) return ConnectFailure{Ready::timeout, fault};
      return std::nullopt;
    } catch (const Poco::Exception& problem) {
      return ConnectFailure{Ready::timeout, "TLS failed: " + problem.displayText()};
    }
  }

  Io read_some(char* data, std::size_t size, std::size_t* got) override {
    try {
      ERR_clear_error();
      const int count = socket_.receiveBytes(data, static_cast<int>(size));
      if (count > 0) {
        *got = static_cast<std::size_t>(count);
        return Io::done;
      }
      return count == 0 ? Io::end : Io::again;
    } catch (const Poco::Exception&) {
      return Io::broken;  // an end without close_notify, too: it may have been cut
    }
  }

  Ready write_all(const std::vector<std::string_view>& pieces, std::chrono::milliseconds idle,
                  const Watch& watch) override {
    std::size_t size = 0;
    for (const std::string_view piece : pieces) size += piece.size();
    if (size <= joined_size) return write_piece(joined(pieces), idle, watch);
    for (const std::string_view piece : pieces) {
      const Ready ready = write_piece(piece, idle, watch);
      if (ready != Ready::yes) return ready;
    }
    return Ready::yes;
  }

  bool has_buffered() const override { return const_cast<Poco::Net::SecureStreamSocket&>(socket_).available() > 0; }

 private:
  Ready write_piece(std::string_view piece, std::chrono::milliseconds idle, const Watch& watch) {
    try {
      while (!piece.empty()) {
        ERR_clear_error();
        const int most = static_cast<int>(std::min<std::size_t>(piece.size(), std::size_t{1} << 30));
        const int sent = socket_.sendBytes(piece.data(), most);
        if (sent > 0) {
          piece.remove_prefix(static_cast<std::size_t>(sent));
          continue;
        }
        const Ready ready = sent == Poco::Net::SecureStreamSocket::ERR_SSL_WANT_READ
                                ? wait_readable(fd_, Clock::now() + idle, *watch.stop, watch.client)
                                : wait_writable(fd_, Clock::now() + idle, *watch.stop, watch.client);
        if (ready != Ready::yes) return ready == Ready::peer_gone ? Ready::stopped : ready;
      }
      return Ready::yes;
    } catch (const Poco::Exception&) {
      return Ready::peer_gone;
    }
  }

  Poco::Net::SecureStreamSocket socket_;
};

std::variant<FileDescriptor, ConnectFailure> connect_one(const SocketAddress& address, Clock::time_point deadline,
                                                         const Watch& watch) {
  FileDescriptor fd(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // Out of descriptors: it heals when other calls end.
  while (!fd && (errno == EMFILE || errno == ENFILE) && Clock::now() < deadline) {
    const Ready ready = wait_until(Clock::now() + std::chrono::milliseconds(50), *watch.stop, watch.client);
    if (ready != Ready::timeout) return ConnectFailure{ready, ""};
    fd = FileDescriptor(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
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

std::variant<std::unique_ptr<UpstreamConnection>, ConnectFailure> connect_upstream(const Upstream& target,
                                                                                   const Poco::Net::Context::Ptr& tls,
                                                                                   bool carries_key,
                                                                                   const Limits& limits,
                                                                                   const Watch& watch) {
  const Clock::time_point deadline = Clock::now() + limits.connect_total;
  const Resolution resolution = resolve_host(target.host, static_cast<int>(target.port), deadline, *watch.stop);
  if (watch.stop->is_set()) return ConnectFailure{Ready::stopped, ""};
  ConnectFailure last{Ready::timeout, resolution.why};
  for (const SocketAddress& address : resolution.addresses) {
    if (Clock::now() >= deadline) break;
    if (target.scheme != "https" && carries_key && !address.is_loopback()) {
      last.why = "the key would cross the network in plain text";
      continue;
    }
    auto connected = connect_one(address, std::min(deadline, Clock::now() + limits.connect_one), watch);
    if (auto* const failure = std::get_if<ConnectFailure>(&connected)) {
      if (failure->reason != Ready::timeout) return *failure;
      last = {Ready::timeout,
              "cannot connect to " + target.host + ":" + std::to_string(target.port) + ": " + failure->why};
      continue;
    }
    FileDescriptor socket = std::move(std::get<FileDescriptor>(connected));
    if (target.scheme != "https") return std::make_unique<PlainConnection>(std::move(socket));
    // A literal address is no server name (RFC 6066).
    auto connection =
        std::make_unique<TlsConnection>(std::move(socket), is_address(target.host) ? "" : target.host, tls);
    std::optional<ConnectFailure> failure = connection->handshake(target.host, limits, watch);
    if (failure) return *failure;
    return connection;
  }
  return last;
}

}  // namespace sanduk
