#include "support/test_authority.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace sanduk::test {
namespace {

constexpr long one_day = 24L * 60 * 60;

X509* make_certificate(EVP_PKEY* key, const std::string& name, long serial, int days) {
  X509* const certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -2 * one_day);
  X509_gmtime_adj(X509_getm_notAfter(certificate), (days - 1) * one_day);
  X509_set_pubkey(certificate, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

void write_certificate(const std::string& path, X509* certificate) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  PEM_write_X509(file, certificate);
  std::fclose(file);
}

void write_key(const std::string& path, EVP_PKEY* key) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
}

}  // namespace

TestAuthority::TestAuthority() {
  std::string pattern = (std::filesystem::temp_directory_path() / "sanduk-ca-XXXXXX").string();
  directory_ = mkdtemp(pattern.data());
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate = make_certificate(key, "sanduk test authority", 1, 30);
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
  X509_sign(certificate, key, EVP_sha256());
  write_certificate(certificate_file(), certificate);
  key_ = key;
  certificate_ = certificate;
}

TestAuthority::~TestAuthority() {
  X509_free(static_cast<X509*>(certificate_));
  EVP_PKEY_free(static_cast<EVP_PKEY*>(key_));
  std::error_code error;
  std::filesystem::remove_all(directory_, error);
}

ScriptedTls TestAuthority::issue(const std::vector<std::string>& names, int days) { return write(names, days, false); }

ScriptedTls TestAuthority::issue_self_signed(const std::vector<std::string>& names) { return write(names, 30, true); }

ScriptedTls TestAuthority::write(const std::vector<std::string>& names, int days, bool self_signed) {
  const std::string base = (directory_ / std::to_string(++issued_)).string();
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate = make_certificate(key, "scripted upstream", 100 + issued_, days);
  X509* const issuer = self_signed ? certificate : static_cast<X509*>(certificate_);
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  if (!list.empty()) add_extension(certificate, issuer, NID_subject_alt_name, list);
  X509_sign(certificate, self_signed ? key : static_cast<EVP_PKEY*>(key_), EVP_sha256());
  ScriptedTls files{base + ".pem", base + ".key"};
  write_certificate(files.certificate_file, certificate);
  write_key(files.key_file, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return files;
}

}  // namespace sanduk::test
