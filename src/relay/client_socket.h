// The box's side of one connection: heads and bodies read within bounds, answers written, refusals made sure to arrive.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "relay/http_head.h"
#include "relay/limits.h"
#include "relay/refusal.h"
#include "relay/socket.h"

namespace sanduk {

// What all bodies together may take. A box that sends many large ones at once is told to wait.
class MemoryRoom {
 public:
  struct Full {};  // thrown by take()
  explicit MemoryRoom(std::size_t most) : left_(static_cast<std::int64_t>(most)) {}
  void take(std::size_t size);
  void give(std::size_t size) { left_ += static_cast<std::int64_t>(size); }

 private:
  std::atomic<std::int64_t> left_;
};

// Bytes that are not touched before they are filled.
class Bytes {
 public:
  explicit Bytes(MemoryRoom& memory) : memory_(memory) {}
  ~Bytes() { clear(); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  std::string_view view() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }
  void reserve(std::size_t capacity);
  // Room for at least one more byte.
  char* room(std::size_t* size);
  void grow(std::size_t count) { size_ += count; }
  void clear();

 private:
  MemoryRoom& memory_;
  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

class ClientSocket {
 public:
  // `stop` ends everything; `drain` only the wait for a next request. `stop` comes with `drain`.
  ClientSocket(FileDescriptor socket, const Limits& limits, const StopEvent& stop, const StopEvent& drain);

  enum class HeadResult { read, faulty, closed };
  // The next request's head. `faulty`: *fault says why; the head holds what could be read.
  HeadResult read_head(RequestHead& head, HeadFault* fault);

  enum class BodyResult { read, refused, gone };
  BodyResult read_body(const RequestHead& head, std::size_t most, Bytes& body, Refusal* refusal);

  // What was read beyond the head: the first bytes of a tunnel.
  std::string take_buffered() { return std::exchange(buffer_, {}); }

  bool write(std::initializer_list<std::string_view> pieces);

  // Ends our side and reads, within bounds, what the client still sends: closing on unread bytes would reset the
  // connection, and the client would not see the refusal.
  void close_after_refusal();
  // Ends the connection in the middle of an answer. `reset`: the framing does not show that something is missing, so
  // that an orderly end would be taken for the whole.
  void close_broken(bool reset);

  int fd() const { return socket_.get(); }

 private:
  enum class Fill { got, end, timeout };
  Fill fill(Clock::time_point deadline, const StopEvent& stop);
  BodyResult read_sized(std::uint64_t length, Bytes& body, Refusal* refusal);
  BodyResult read_chunks(std::size_t most, Bytes& body, Refusal* refusal);

  FileDescriptor socket_;
  const Limits& limits_;
  const StopEvent& stop_;
  const StopEvent& drain_;
  std::string buffer_;  // read and not yet used
};

}  // namespace sanduk
