// A certificate authority for tests, made anew in a temporary directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/scripted_upstream.h"

namespace sanduk::test {

class TestAuthority {
 public:
  TestAuthority();
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  // A server certificate for names and addresses, as OpenSSL writes them: "DNS:localhost", "IP:127.0.0.1". `days`: how
  // long it holds from yesterday on; 0: it has expired.
  ScriptedTls issue(const std::vector<std::string>& names, int days = 30);
  // One that nobody vouches for.
  ScriptedTls issue_self_signed(const std::vector<std::string>& names);

  std::string certificate_file() const { return (directory_ / "ca.pem").string(); }

 private:
  ScriptedTls write(const std::vector<std::string>& names, int days, bool self_signed);

  std::filesystem::path directory_;
  int issued_ = 0;
  void* key_ = nullptr;          // EVP_PKEY
  void* certificate_ = nullptr;  // X509
};

}  // namespace sanduk::test
