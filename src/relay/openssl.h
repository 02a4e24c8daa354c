// OpenSSL, loaded when it is first needed. Most commands never are on TLS, and binding its symbols costs each of them
// about 2 ms. Calls go as `openssl().SSL_read_ex(…)`; a function that is missing here does not link.
#pragma once

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Functions of libcrypto and of libssl. What OpenSSL has as a macro is called by what the macro stands for.
#define SANDUK_LIBCRYPTO(each)                                                                                    \
  each(ERR_clear_error) each(ERR_peek_error) each(ERR_reason_error_string) each(EVP_Digest) each(EVP_sha256)      \
      each(X509_VERIFY_PARAM_set1_host) each(X509_VERIFY_PARAM_set1_ip_asc) each(X509_VERIFY_PARAM_set_hostflags) \
          each(X509_get_default_cert_file_env) each(X509_verify_cert_error_string)

#define SANDUK_LIBSSL(each)                                                                                           \
  each(SSL_CTX_ctrl) each(SSL_CTX_free) each(SSL_CTX_get0_param) each(SSL_CTX_get_ex_data)                            \
      each(SSL_CTX_load_verify_file) each(SSL_CTX_new) each(SSL_CTX_sess_set_new_cb) each(SSL_CTX_set_cipher_list)    \
          each(SSL_CTX_set_default_verify_dir) each(SSL_CTX_set_default_verify_file) each(SSL_CTX_set_ex_data)        \
              each(SSL_CTX_set_options) each(SSL_CTX_set_verify) each(SSL_SESSION_free) each(SSL_ctrl)                \
                  each(SSL_do_handshake) each(SSL_free) each(SSL_get_SSL_CTX) each(SSL_get_error)                     \
                      each(SSL_get_verify_result) each(SSL_new) each(SSL_peek_ex) each(SSL_pending) each(SSL_read_ex) \
                          each(SSL_set_connect_state) each(SSL_set_fd) each(SSL_set_session) each(SSL_shutdown)       \
                              each(SSL_write_ex) each(TLS_client_method)

namespace sanduk {

struct OpenSsl {
#define SANDUK_MEMBER(function) decltype(&::function) function = nullptr;
  SANDUK_LIBCRYPTO(SANDUK_MEMBER)
  SANDUK_LIBSSL(SANDUK_MEMBER)
#undef SANDUK_MEMBER
};

// Any thread may ask; the libraries stay loaded until the program ends. Throws RunError (Failure::host) where this
// machine does not have the OpenSSL that sanduk was built with.
const OpenSsl& openssl();

}  // namespace sanduk
