#include "relay/openssl.h"

#include <dlfcn.h>

#include <string>

#include "diagnostics/diagnostic.h"

namespace sanduk {
namespace {

// The version in the libraries' names changes when their functions do.
std::string library_name(const std::string& name) {
  const std::string version = std::to_string(OPENSSL_SHLIB_VERSION);
#ifdef __APPLE__
  return name + "." + version + ".dylib";
#else
  return name + ".so." + version;
#endif
}

[[noreturn]] void fail() {
  const char* const why = dlerror();
  throw RunError(
      Failure::host,
      error("tls-not-ready", std::string("cannot load OpenSSL: ") + (why == nullptr ? "no reason given" : why))
          .with_help("install " + library_name("libssl") + " and " + library_name("libcrypto")));
}

class Library {
 public:
  explicit Library(const std::string& name) : handle_(dlopen(library_name(name).c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    if (handle_ == nullptr) fail();
  }

  template <class Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr) fail();
  }

 private:
  void* handle_;
};

OpenSsl load() {
  OpenSsl functions;
  const Library crypto("libcrypto");
  const Library ssl("libssl");
#define SANDUK_FIND_IN_CRYPTO(name) crypto.find(#name, functions.name);
#define SANDUK_FIND_IN_SSL(name) ssl.find(#name, functions.name);
  SANDUK_LIBCRYPTO(SANDUK_FIND_IN_CRYPTO)
  SANDUK_LIBSSL(SANDUK_FIND_IN_SSL)
#undef SANDUK_FIND_IN_CRYPTO
#undef SANDUK_FIND_IN_SSL
  return functions;
}

}  // namespace

const OpenSsl& openssl() {
  static const OpenSsl functions = load();
  return functions;
}

}  // namespace sanduk
