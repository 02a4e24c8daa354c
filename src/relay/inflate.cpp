#include "relay/inflate.h"

#include <algorithm>
#include <array>
#include <limits>

namespace sanduk {

Inflater::Inflater(std::size_t most_output) : left_(most_output) {
  // 16: gzip only; 15: the largest window.
  ready_ = inflateInit2(&stream_, 16 + 15) == Z_OK;
}

Inflater::~Inflater() {
  if (stream_.state != nullptr) inflateEnd(&stream_);
}

bool Inflater::feed(std::string_view bytes, const std::function<void(std::string_view)>& out) {
  std::array<char, 8192> buffer;  // NOLINT: only what inflate() wrote is read
  while (ready_ && !bytes.empty()) {
    if (complete_) {
      ready_ = inflateReset(&stream_) == Z_OK;
      complete_ = false;
    }
    const std::size_t piece = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(piece);
    int code = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      code = ::inflate(&stream_, Z_SYNC_FLUSH);
      const std::size_t got = buffer.size() - stream_.avail_out;
      if (got > left_) {
        too_large_ = true;
        ready_ = false;
        return false;
      }
      left_ -= got;
      if (got > 0) out({buffer.data(), got});
    } while (code == Z_OK && (stream_.avail_in > 0 || stream_.avail_out == 0));
    if (code == Z_STREAM_END) {
      complete_ = true;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      ready_ = false;
    }
    bytes.remove_prefix(piece - stream_.avail_in);
  }
  return ready_;
}

std::optional<std::string> gunzip(std::string_view bytes, std::size_t most, bool* too_large) {
  std::string text;
  Inflater inflater(most);
  const bool fine = inflater.feed(bytes, [&](std::string_view piece) { text += piece; });
  *too_large = inflater.too_large();
  if (!fine || !inflater.complete()) return std::nullopt;
  return text;
}

}  // namespace sanduk
