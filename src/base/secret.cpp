#include "base/secret.h"

#include <sys/random.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace sanduk {

Secret::Secret(Secret&& other) noexcept : value_(other.value_) { other.wipe(); }

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    wipe();
    value_ = other.value_;
    other.wipe();
  }
  return *this;
}

Secret::~Secret() { wipe(); }

void Secret::wipe() {
  volatile char* bytes = value_.data();
  for (std::size_t i = 0; i < value_.size(); ++i) bytes[i] = 0;
  value_.clear();
}

bool Secret::matches(std::string_view candidate) const {
  if (value_.empty()) return false;
  unsigned char difference = value_.size() == candidate.size() ? 0 : 1;
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (static_cast<unsigned char>(candidate[i]) ^
                                                          static_cast<unsigned char>(value_[i % value_.size()])));
  }
  return difference == 0;
}

std::string random_hex(std::size_t bytes) {
  std::string raw(bytes, '\0');
  if (getentropy(raw.data(), raw.size()) != 0) throw std::system_error(errno, std::generic_category(), "getentropy");
  return hex(raw);
}

Secret make_token(std::string_view prefix) { return Secret(std::string(prefix) + random_hex(32)); }

void forbid_core_dumps() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
  prctl(PR_SET_DUMPABLE, 0);
#endif
}

}  // namespace sanduk
