#include "relay/tls.h"

#include <Poco/Exception.h>
#include <Poco/Net/RejectCertificateHandler.h>
#include <Poco/Net/SSLManager.h>
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <mutex>

#include "diagnostics/diagnostic.h"

namespace sanduk {
namespace {

// Poco's default handler of a bad certificate would ask on the console.
void install_reject_handler(const Poco::Net::Context::Ptr& context) {
  static std::once_flag once;
  std::call_once(once, [&] {
    Poco::Net::initializeSSL();
    Poco::Net::SSLManager::InvalidCertificateHandlerPtr reject = new Poco::Net::RejectCertificateHandler(false);
    Poco::Net::SSLManager::instance().initializeClient(nullptr, reject, context);
  });
}

}  // namespace

Poco::Net::Context::Ptr make_tls_context() {
  try {
    Poco::Net::initializeSSL();
    Poco::Net::Context::Params params;
    params.verificationMode = Poco::Net::Context::VERIFY_STRICT;
    params.loadDefaultCAs = true;
    params.cipherList = "HIGH:!aNULL:!eNULL:!MD5:!RC4:!3DES";
    Poco::Net::Context::Ptr context = new Poco::Net::Context(Poco::Net::Context::TLS_CLIENT_USE, params);
    context->requireMinimumProtocol(Poco::Net::Context::PROTO_TLSV1_2);
    // Poco compares names only, and takes an address for one: check_certificate_name does it instead.
    context->enableExtendedCertificateVerification(false);
    SSL_CTX_set_mode(context->sslContext(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    install_reject_handler(context);
    return context;
  } catch (const Poco::Exception& problem) {
    throw RunError(Failure::host, error("tls-not-ready", "cannot prepare TLS: " + problem.displayText())
                                      .with_help("check SSL_CERT_FILE and SSL_CERT_DIR"));
  }
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

std::string check_certificate_name(const Poco::Net::SecureStreamSocket& socket, const std::string& host) {
  if (!socket.havePeerCertificate()) return "the server showed no certificate";
  const Poco::Net::X509Certificate holder = socket.peerCertificate();
  X509* const certificate = const_cast<X509*>(holder.certificate());
  const int good = is_address(host) ? X509_check_ip_asc(certificate, host.c_str(), 0)
                                    : X509_check_host(certificate, host.data(), host.size(),
                                                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, nullptr);
  return good == 1 ? "" : "the server's certificate is not for " + host;
}

}  // namespace sanduk
