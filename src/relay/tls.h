// TLS towards one provider, on OpenSSL: the system's authorities, the provider's own name, TLS 1.2 or newer.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <mutex>
#include <string>

namespace sanduk {

struct TlsFree {
  void operator()(SSL_CTX* context) const;
  void operator()(SSL* tls) const;
  void operator()(SSL_SESSION* session) const;
};
using TlsHandle = std::unique_ptr<SSL, TlsFree>;

class TlsContext {
 public:
  // Honours SSL_CERT_FILE and SSL_CERT_DIR. `host`: the name or address that a certificate must be for. Throws RunError
  // where the authorities cannot be loaded.
  explicit TlsContext(std::string host);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  const std::string& host() const { return host_; }

  // A client on the connected socket `fd`, before its handshake; it resumes the last session where there is one. The
  // context outlives it.
  TlsHandle open(int fd);

  // Why the last step of `tls` failed, in words for the user. Takes OpenSSL's error queue of this thread.
  std::string fault(SSL* tls) const;

 private:
  static int keep_session(SSL* tls, SSL_SESSION* session);

  std::string host_;
  std::unique_ptr<SSL_CTX, TlsFree> context_;
  std::mutex mutex_;
  std::unique_ptr<SSL_SESSION, TlsFree> session_;
};

}  // namespace sanduk
