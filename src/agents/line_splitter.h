// Cuts output that comes in pieces into lines, in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sanduk {

class LineSplitter {
 public:
  using Taker = std::function<void(std::string_view line)>;

  // Lines longer than `most` bytes are dropped whole and counted.
  explicit LineSplitter(Taker taker, std::size_t most = std::size_t{8} << 20) : taker_(std::move(taker)), most_(most) {}

  void feed(std::string_view bytes);
  // Hands on a last line without newline.
  void finish();

  std::int64_t dropped() const { return dropped_; }

 private:
  void keep(std::string_view bytes);
  void end_line();

  Taker taker_;
  std::size_t most_;
  std::string line_;
  bool dropping_ = false;
  std::int64_t dropped_ = 0;
};

}  // namespace sanduk
