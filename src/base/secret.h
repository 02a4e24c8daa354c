// A value that must not be printed, copied by accident or left in memory: an API key, a run token.
#pragma once

#include <string>
#include <string_view>

namespace sanduk {

// Move-only; the bytes are wiped on destruction. There is no conversion and no stream operator: whoever needs the
// bytes says `reveal()`, and a review can find every place.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret();

  bool empty() const { return value_.empty(); }
  std::string_view reveal() const { return value_; }
  Secret copy() const { return Secret(value_); }

  // Compares in a time that depends on the length of `candidate` only.
  bool matches(std::string_view candidate) const;

 private:
  void wipe();
  std::string value_;
};

template <class Stream>
Stream& operator<<(Stream&, const Secret&) = delete;

// 256 bits from the operating system's generator, as lower-case hexadecimal after `prefix`.
Secret make_token(std::string_view prefix);

// `bytes` random bytes from the operating system as lower-case hexadecimal (for names, not a secret).
std::string random_hex(std::size_t bytes);

// No core dump of this process may hold a key; also keeps other processes of the same user from attaching.
void forbid_core_dumps();

}  // namespace sanduk
