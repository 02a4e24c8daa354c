// One decompressor for one stream, fed piece by piece: gzip with flushes inside, several members, a bound on what comes
// out.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sanduk {

class Inflater {
 public:
  explicit Inflater(std::size_t most_output);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Hands out what `bytes` yields. False once the stream is broken or yields more than the bound.
  bool feed(std::string_view bytes, const std::function<void(std::string_view)>& out);

  // Whether the stream stands at the end of a member.
  bool complete() const { return complete_; }
  bool too_large() const { return too_large_; }

 private:
  z_stream stream_{};
  std::size_t left_;
  bool ready_ = false;
  bool complete_ = false;
  bool too_large_ = false;
};

// A whole gzip body; nothing when it is broken, cut, or (`*too_large` set) larger than `most`.
std::optional<std::string> gunzip(std::string_view bytes, std::size_t most, bool* too_large);

}  // namespace sanduk
