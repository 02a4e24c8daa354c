#include "relay/tls_connection.h"

#include <cerrno>

#include "relay/openssl.h"

namespace sanduk {
namespace {

// Small requests go out as one record; large bodies are not copied.
constexpr std::size_t joined_size = 16384;

std::string joined(const std::vector<std::string_view>& pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

// OpenSSL reads the thread's error queue to tell what happened: nothing old may lie there.
void begin_step() {
  openssl().ERR_clear_error();
  errno = 0;
}

}  // namespace

TlsConnection::TlsConnection(FileDescriptor socket, TlsContext& context)
    : context_(context), socket_(std::move(socket)), tls_(context.open(socket_.get())) {
  fd_ = socket_.get();
}

TlsConnection::~TlsConnection() {
  // Says goodbye without waiting for the peer's. After a fault OpenSSL allows no more than freeing.
  if (broken_) return;
  begin_step();
  openssl().SSL_shutdown(tls_.get());
  openssl().ERR_clear_error();
}

int TlsConnection::meaning(int code) {
  const int reason = openssl().SSL_get_error(tls_.get(), code);
  if (reason == SSL_ERROR_SSL || reason == SSL_ERROR_SYSCALL) broken_ = true;
  return reason;
}

std::optional<ConnectFailure> TlsConnection::handshake(const Limits& limits, const Watch& watch) {
  const Clock::time_point deadline = Clock::now() + limits.handshake;
  for (;;) {
    begin_step();
    const int code = openssl().SSL_do_handshake(tls_.get());
    if (code == 1) return std::nullopt;
    const int reason = meaning(code);
    if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) {
      broken_ = true;
      return ConnectFailure{Ready::timeout, context_.fault(tls_.get())};
    }
    const Ready ready = reason == SSL_ERROR_WANT_WRITE ? wait_writable(fd_, deadline, *watch.stop, watch.client)
                                                       : wait_readable(fd_, deadline, *watch.stop, watch.client);
    if (ready == Ready::yes) continue;
    broken_ = true;
    return ConnectFailure{ready, "the TLS handshake took too long"};
  }
}

UpstreamConnection::Io TlsConnection::read_some(char* data, std::size_t size, std::size_t* got) {
  begin_step();
  const int code = openssl().SSL_read_ex(tls_.get(), data, size, got);
  if (code == 1) return Io::done;
  switch (meaning(code)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return Io::again;
    case SSL_ERROR_ZERO_RETURN:
      return Io::end;
    default:
      return Io::broken;  // an end without close_notify, too: it may have been cut
  }
}

Ready TlsConnection::write_all(const std::vector<std::string_view>& pieces, std::chrono::milliseconds idle,
                               const Watch& watch) {
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  if (size <= joined_size) return write_piece(joined(pieces), idle, watch);
  for (const std::string_view piece : pieces) {
    const Ready ready = write_piece(piece, idle, watch);
    if (ready != Ready::yes) return ready;
  }
  return Ready::yes;
}

Ready TlsConnection::write_piece(std::string_view piece, std::chrono::milliseconds idle, const Watch& watch) {
  while (!piece.empty()) {
    begin_step();
    std::size_t sent = 0;
    const int code = openssl().SSL_write_ex(tls_.get(), piece.data(), piece.size(), &sent);
    if (code == 1) {
      piece.remove_prefix(sent);
      continue;
    }
    const int reason = meaning(code);
    if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) return Ready::peer_gone;
    const Ready ready = reason == SSL_ERROR_WANT_READ
                            ? wait_readable(fd_, Clock::now() + idle, *watch.stop, watch.client)
                            : wait_writable(fd_, Clock::now() + idle, *watch.stop, watch.client);
    if (ready != Ready::yes) return ready == Ready::peer_gone ? Ready::stopped : ready;
  }
  return Ready::yes;
}

bool TlsConnection::has_buffered() const { return openssl().SSL_pending(tls_.get()) > 0; }

bool TlsConnection::is_quiet() {
  if (has_buffered()) return false;
  if (!is_readable_now(fd_)) return true;
  // TLS 1.3 brings the tickets of later sessions after the handshake, which is no answer.
  begin_step();
  char byte = 0;
  std::size_t got = 0;
  const int code = openssl().SSL_peek_ex(tls_.get(), &byte, 1, &got);
  return code != 1 && meaning(code) == SSL_ERROR_WANT_READ;
}

}  // namespace sanduk
