// Carries bytes between the agent's TCP connections on 127.0.0.1 and the relay's unix socket, as they come.
#pragma once

#include <sys/epoll.h>

#include <cstddef>

namespace sanduk::box {

// A socket that listens on 127.0.0.1:PORT, non-blocking; -1 and errno on failure.
int listen_on_loopback(int port);

// Each accepted connection gets one to the relay. What one side cannot take yet is kept, at most one block for each
// direction, and the other side is not read until it is gone: a slow reader slows its writer, and nothing else.
class Pump {
 public:
  // `listener` stays the caller's. Registers everything with `epoll`, event data pointing to Endpoint.
  Pump(int epoll, int listener, const char* socket_path);

  struct Stream;
  struct Endpoint {
    Stream* stream = nullptr;
    int fd = -1;
    bool registered = false;
    unsigned interest = 0;
  };

  // One event of ours, from epoll_wait. After a batch of them: `finish_batch`.
  void handle(const epoll_event& event);
  void finish_batch();

  // How long epoll_wait may wait, in milliseconds; -1 for ever.
  int patience() const;

 private:
  struct Direction;
  void accept_all();
  void begin(int client);
  bool connect_relay(Stream* stream);
  void retry_waiting();
  void end_lingering();
  void carry(Stream* stream, Direction& direction);
  void flush(Stream* stream, Direction& direction);
  void finish_if_empty(Stream* stream, Direction& direction);
  void drop(Stream* stream, bool abort);
  void settle(Stream* stream);
  void watch(Endpoint& endpoint, unsigned interest, bool keep_for_errors);
  void watch_listener();

  int epoll_;
  int listener_;
  const char* socket_path_;
  Stream* streams_ = nullptr;  // all that live
  Stream* dead_ = nullptr;     // freed after the batch: an event of it may still be in hand
  int count_ = 0;
  int most_ = 0;
  int waiting_ = 0;    // streams whose relay connection met a full backlog
  int lingering_ = 0;  // streams whose answer is through while the client still sends
  bool listening_ = false;
};

}  // namespace sanduk::box
