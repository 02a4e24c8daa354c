#include "relay/tls.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "diagnostics/diagnostic.h"
#include "relay/openssl.h"
#include "relay/resolve_host.h"

namespace sanduk {
namespace {

RunError not_ready(const std::string& what) {
  openssl().ERR_clear_error();
  return {Failure::host,
          error("tls-not-ready", "cannot prepare TLS: " + what).with_help("check SSL_CERT_FILE and SSL_CERT_DIR")};
}

// OpenSSL by itself overlooks a file of authorities that it cannot read.
void load_authorities(SSL_CTX* context) {
  const char* const file = std::getenv(openssl().X509_get_default_cert_file_env());
  if (file != nullptr && openssl().SSL_CTX_load_verify_file(context, file) != 1) {
    throw not_ready(std::string("no certificate can be read from SSL_CERT_FILE ") + file);
  }
  if (file == nullptr && openssl().SSL_CTX_set_default_verify_file(context) != 1) throw not_ready("no authorities");
  if (openssl().SSL_CTX_set_default_verify_dir(context) != 1) throw not_ready("no folder of authorities");
}

// Only certificates for `host` pass the handshake.
bool expect_host(SSL_CTX* context, const std::string& host) {
  X509_VERIFY_PARAM* const rules = openssl().SSL_CTX_get0_param(context);
  if (is_address(host)) return openssl().X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()) == 1;
  openssl().X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return openssl().X509_VERIFY_PARAM_set1_host(rules, host.data(), host.size()) == 1;
}

// SSL_set_tlsext_host_name, without the cast in its macro.
bool set_server_name(SSL* tls, const std::string& name) {
  return openssl().SSL_ctrl(tls, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                            const_cast<char*>(name.c_str())) == 1;
}

}  // namespace

void TlsFree::operator()(SSL_CTX* context) const { openssl().SSL_CTX_free(context); }
void TlsFree::operator()(SSL* tls) const { openssl().SSL_free(tls); }
void TlsFree::operator()(SSL_SESSION* session) const { openssl().SSL_SESSION_free(session); }

TlsContext::TlsContext(std::string host)
    : host_(std::move(host)), context_(openssl().SSL_CTX_new(openssl().TLS_client_method())) {
  SSL_CTX* const context = context_.get();
  if (context == nullptr ||
      openssl().SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, nullptr) != 1 ||
      openssl().SSL_CTX_set_cipher_list(context, "HIGH:!aNULL:!eNULL:!MD5:!RC4:!3DES") != 1 ||
      !expect_host(context, host_)) {
    throw not_ready("OpenSSL does not take the settings");
  }
  load_authorities(context);
  openssl().SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  openssl().SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  openssl().SSL_CTX_ctrl(context, SSL_CTRL_MODE,
                         SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS,
                         nullptr);
  openssl().SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL,
                         nullptr);
  openssl().SSL_CTX_set_ex_data(context, 0, this);
  openssl().SSL_CTX_sess_set_new_cb(context, &keep_session);
}

int TlsContext::keep_session(SSL* tls, SSL_SESSION* session) {
  auto& self = *static_cast<TlsContext*>(openssl().SSL_CTX_get_ex_data(openssl().SSL_get_SSL_CTX(tls), 0));
  const std::lock_guard lock(self.mutex_);
  self.session_.reset(session);
  return 1;  // the session is this object's to free
}

TlsHandle TlsContext::open(int fd) {
  openssl().ERR_clear_error();
  TlsHandle tls(openssl().SSL_new(context_.get()));
  // A literal address is no server name (RFC 6066).
  if (!tls || openssl().SSL_set_fd(tls.get(), fd) != 1 || (!is_address(host_) && !set_server_name(tls.get(), host_))) {
    throw not_ready("OpenSSL has no room for a connection");
  }
  openssl().SSL_set_connect_state(tls.get());
  const std::lock_guard lock(mutex_);
  if (session_) openssl().SSL_set_session(tls.get(), session_.get());
  return tls;
}

std::string TlsContext::fault(SSL* tls) const {
  const int system_code = errno;
  const unsigned long code = openssl().ERR_peek_error();
  openssl().ERR_clear_error();
  const long verdict = openssl().SSL_get_verify_result(tls);
  if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    return "the server's certificate is not for " + host_;
  }
  if (verdict != X509_V_OK) {
    return std::string("TLS failed: the server's certificate is not trusted: ") +
           openssl().X509_verify_cert_error_string(verdict);
  }
  const char* const reason = code == 0 ? nullptr : openssl().ERR_reason_error_string(code);
  if (reason != nullptr) return std::string("TLS failed: ") + reason;
  return std::string("TLS failed: ") + (system_code == 0 ? "the server closed the connection" : strerror(system_code));
}

}  // namespace sanduk
