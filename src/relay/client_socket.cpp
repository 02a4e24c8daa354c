#include "relay/client_socket.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "relay/chunked.h"

namespace sanduk {
namespace {

constexpr std::size_t read_size = 16384;

}  // namespace

void MemoryRoom::take(std::size_t size) {
  const auto wanted = static_cast<std::int64_t>(size);
  if (left_.fetch_sub(wanted) >= wanted) return;
  give(size);
  throw Full();
}

void Bytes::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  memory_.take(capacity - capacity_);
  std::unique_ptr<char[]> larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ > 0) std::memcpy(larger.get(), data_.get(), size_);
  data_ = std::move(larger);
  capacity_ = capacity;
}

char* Bytes::room(std::size_t* size) {
  if (size_ == capacity_) reserve(std::max(read_size, capacity_ * 2));
  *size = capacity_ - size_;
  return data_.get() + size_;
}

void Bytes::clear() {
  data_.reset();
  memory_.give(capacity_);
  size_ = capacity_ = 0;
}

ClientSocket::ClientSocket(FileDescriptor socket, const Limits& limits, const StopEvent& stop, const StopEvent& drain)
    : socket_(std::move(socket)), limits_(limits), stop_(stop), drain_(drain) {
  make_nonblocking(socket_.get());
  set_no_delay(socket_.get());
}

ClientSocket::Fill ClientSocket::fill(Clock::time_point deadline, const StopEvent& stop) {
  std::array<char, read_size> piece;  // NOLINT: only what recv() wrote is read
  for (;;) {
    const Ready ready = wait_readable(socket_.get(), deadline, stop);
    if (ready == Ready::timeout) return Fill::timeout;
    if (ready != Ready::yes) return Fill::end;
    const ssize_t got = recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (got > 0) {
      buffer_.append(piece.data(), static_cast<std::size_t>(got));
      return Fill::got;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) return Fill::end;
  }
}

ClientSocket::HeadResult ClientSocket::read_head(RequestHead& head, HeadFault* fault) {
  if (buffer_.empty() && fill(Clock::now() + limits_.client_idle, drain_) != Fill::got) return HeadResult::closed;
  HeadFinder finder(limits_.request_line, limits_.header_line, limits_.head_bytes);
  const Clock::time_point total = Clock::now() + limits_.head_total;
  for (;;) {
    const std::optional<std::size_t> size = finder.find(buffer_);
    if (size) {
      const std::optional<HeadFault> broken =
          parse_request_head(std::string_view(buffer_).substr(0, *size), limits_, head);
      buffer_.erase(0, *size);
      if (!broken) return HeadResult::read;
      *fault = *broken;
      return HeadResult::faulty;
    }
    if (finder.fault()) {
      *fault = *finder.fault();
      return HeadResult::faulty;
    }
    switch (fill(std::min(total, Clock::now() + limits_.head_idle), stop_)) {
      case Fill::got:
        break;
      case Fill::timeout:
        *fault = HeadFault{408, "the request's head did not come in time"};
        return HeadResult::faulty;
      case Fill::end:
        *fault = HeadFault{0, "the client left in the middle of the request's head"};
        return HeadResult::faulty;
    }
  }
}

ClientSocket::BodyResult ClientSocket::read_body(const RequestHead& head, std::size_t most, Bytes& body,
                                                 Refusal* refusal) {
  if (head.framing.kind == Framing::Kind::length && head.framing.length > most) {
    *refusal = too_large("the request's body is larger than " + std::to_string(most) + " bytes");
    return BodyResult::refused;
  }
  const bool waits = head.expects_continue && head.framing.kind != Framing::Kind::none && buffer_.empty();
  if (waits && !write({"HTTP/1.1 100 Continue\r\n\r\n"})) return BodyResult::gone;
  switch (head.framing.kind) {
    case Framing::Kind::length:
      return read_sized(head.framing.length, body, refusal);
    case Framing::Kind::chunked:
      return read_chunks(most, body, refusal);
    case Framing::Kind::none:
    case Framing::Kind::until_close:
      break;
  }
  return BodyResult::read;
}

ClientSocket::BodyResult ClientSocket::read_sized(std::uint64_t length, Bytes& body, Refusal* refusal) {
  const std::size_t size = static_cast<std::size_t>(length);
  const std::size_t there = std::min(size, buffer_.size());
  body.reserve(std::max<std::size_t>(size, 1));
  std::size_t room = 0;
  std::memcpy(body.room(&room), buffer_.data(), there);
  body.grow(there);
  buffer_.erase(0, there);
  const Clock::time_point total = Clock::now() + limits_.body_total;
  while (body.size() < size) {
    char* const at = body.room(&room);
    const ssize_t got = recv(socket_.get(), at, std::min(room, size - body.size()), MSG_DONTWAIT);
    if (got > 0) {
      body.grow(static_cast<std::size_t>(got));
      continue;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) return BodyResult::gone;
    const Ready ready = wait_readable(socket_.get(), std::min(total, Clock::now() + limits_.body_idle), stop_);
    if (ready == Ready::timeout) {
      *refusal = timed_out("the request's body did not come in time");
      return BodyResult::refused;
    }
    if (ready != Ready::yes) return BodyResult::gone;
  }
  return BodyResult::read;
}

ClientSocket::BodyResult ClientSocket::read_chunks(std::size_t most, Bytes& body, Refusal* refusal) {
  ChunkedDecoder decoder(limits_.trailer_bytes);
  const Clock::time_point total = Clock::now() + limits_.body_total;
  for (;;) {
    const ChunkedDecoder::Step step = decoder.decode(buffer_.data(), buffer_.size());
    if (step.decoded > most - body.size()) {
      *refusal = too_large("the request's body is larger than " + std::to_string(most) + " bytes");
      return BodyResult::refused;
    }
    for (std::string_view piece(buffer_.data(), step.decoded); !piece.empty();) {
      std::size_t room = 0;
      char* const at = body.room(&room);
      const std::size_t size = std::min(room, piece.size());
      std::memcpy(at, piece.data(), size);
      body.grow(size);
      piece.remove_prefix(size);
    }
    buffer_.erase(0, step.taken);
    if (decoder.done()) return BodyResult::read;
    if (decoder.failed()) {
      *refusal = bad_request("a broken chunk in the request's body");
      return BodyResult::refused;
    }
    switch (fill(std::min(total, Clock::now() + limits_.body_idle), stop_)) {
      case Fill::got:
        break;
      case Fill::timeout:
        *refusal = timed_out("the request's body did not come in time");
        return BodyResult::refused;
      case Fill::end:
        return BodyResult::gone;
    }
  }
}

bool ClientSocket::write(std::initializer_list<std::string_view> pieces) {
  return write_pieces(socket_.get(), pieces, limits_.client_write_idle, stop_);
}

void ClientSocket::close_after_refusal() {
  shutdown(socket_.get(), SHUT_WR);
  const Clock::time_point deadline = Clock::now() + limits_.drain_total;
  std::array<char, read_size> piece;  // NOLINT: never read
  for (std::size_t drained = 0; drained < limits_.drain_bytes;) {
    if (wait_readable(socket_.get(), deadline, stop_) != Ready::yes) break;
    const ssize_t got = recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) break;
    if (got > 0) drained += static_cast<std::size_t>(got);
  }
  socket_.close();
}

void ClientSocket::close_broken(bool reset) {
  if (reset) reset_on_close(socket_.get());
  socket_.close();
}

}  // namespace sanduk
