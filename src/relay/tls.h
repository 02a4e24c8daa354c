// TLS towards the provider: the system's authorities, verification that cannot be talked out of, TLS 1.2 or newer.
#pragma once

#include <Poco/Net/Context.h>
#include <Poco/Net/SecureStreamSocket.h>

#include <string>

namespace sanduk {

// Honours SSL_CERT_FILE and SSL_CERT_DIR. Throws RunError where the authorities cannot be loaded.
Poco::Net::Context::Ptr make_tls_context();

// An IPv4 or IPv6 literal, without brackets.
bool is_address(const std::string& host);

// Whether the certificate that the chain check has accepted is for `host`, a name or an address. Empty: it is; else why
// not.
std::string check_certificate_name(const Poco::Net::SecureStreamSocket& socket, const std::string& host);

}  // namespace sanduk
