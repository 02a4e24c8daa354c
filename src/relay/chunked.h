// The chunked coding, taken off bytes that arrive piece by piece. Strict; trailers are checked, counted and dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sanduk {

class ChunkedDecoder {
 public:
  // Trailers of more than `trailer_bytes` are a fault.
  explicit ChunkedDecoder(std::size_t trailer_bytes) : trailer_room_(trailer_bytes) {}

  struct Step {
    std::size_t taken = 0;    // bytes of the input that belong to this body
    std::size_t decoded = 0;  // bytes of the body, moved to the front of the same buffer
  };
  // Decodes in place. Stops at the end of the body: what follows belongs to the next message.
  Step decode(char* data, std::size_t size);

  bool done() const { return state_ == State::done; }
  bool failed() const { return state_ == State::failed; }

 private:
  enum class State {
    size_first,
    size,
    extension,
    size_lf,
    data,
    data_cr,
    data_lf,
    trailer_first,
    trailer,
    trailer_lf,
    end_lf,
    done,
    failed
  };
  void take_framing_byte(char c);

  State state_ = State::size_first;
  std::uint64_t left_ = 0;
  std::size_t extension_room_ = 256;
  std::size_t trailer_room_;
};

}  // namespace sanduk
