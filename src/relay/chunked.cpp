#include "relay/chunked.h"

#include <algorithm>
#include <cstring>

namespace sanduk {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

}  // namespace

ChunkedDecoder::Step ChunkedDecoder::decode(char* data, std::size_t size) {
  Step step;
  while (step.taken < size && state_ != State::done && state_ != State::failed) {
    if (state_ != State::data) {
      take_framing_byte(data[step.taken++]);
      continue;
    }
    const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(left_, size - step.taken));
    if (step.decoded != step.taken) std::memmove(data + step.decoded, data + step.taken, piece);
    step.decoded += piece;
    step.taken += piece;
    left_ -= piece;
    if (left_ == 0) state_ = State::data_cr;
  }
  return step;
}

void ChunkedDecoder::take_framing_byte(char c) {
  // Every case leaves a next state; what fits none is a fault.
  State next = State::failed;
  switch (state_) {
    case State::size_first:
      left_ = 0;
      [[fallthrough]];
    case State::size:
      if (hex_value(c) >= 0) {
        // 2^56 is far beyond any body and leaves room for one more digit.
        if (left_ < (std::uint64_t{1} << 56)) next = State::size;
        left_ = left_ * 16 + static_cast<std::uint64_t>(hex_value(c));
      } else if (state_ == State::size && c == '\r') {
        next = State::size_lf;
      } else if (state_ == State::size && (c == ';' || c == ' ' || c == '\t')) {
        next = State::extension;
        extension_room_ = 256;
      }
      break;
    case State::extension:
      if (c == '\r') {
        next = State::size_lf;
      } else if (!is_control(c) && extension_room_ > 0) {
        --extension_room_;
        next = State::extension;
      }
      break;
    case State::size_lf:
      if (c == '\n') next = left_ == 0 ? State::trailer_first : State::data;
      break;
    case State::data_cr:
      if (c == '\r') next = State::data_lf;
      break;
    case State::data_lf:
      if (c == '\n') next = State::size_first;
      break;
    case State::trailer_first:
      if (c == '\r') {
        next = State::end_lf;
        break;
      }
      if (c == ' ' || c == '\t') break;
      [[fallthrough]];
    case State::trailer:
      if (c == '\r') {
        next = State::trailer_lf;
      } else if (!is_control(c) && trailer_room_ > 0) {
        --trailer_room_;
        next = State::trailer;
      }
      break;
    case State::trailer_lf:
      if (c == '\n') next = State::trailer_first;
      break;
    case State::end_lf:
      if (c == '\n') next = State::done;
      break;
    case State::data:
    case State::done:
    case State::failed:
      break;
  }
  state_ = next;
}

}  // namespace sanduk
