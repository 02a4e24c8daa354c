// Non-blocking sockets: waits that also see the peer leave and the relay stop, and whole writes.
#pragma once

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "base/files.h"
#include "relay/stop_event.h"

namespace sanduk {

using Clock = std::chrono::steady_clock;

enum class Ready { yes, timeout, stopped, peer_gone };

// Waits until `fd` is readable (or writable), `stop` is set, `peer` (if not -1) has closed its side, or `deadline` is
// past. What is ready on `fd` wins over the rest.
Ready wait_readable(int fd, Clock::time_point deadline, const StopEvent& stop, int peer = -1);
Ready wait_writable(int fd, Clock::time_point deadline, const StopEvent& stop, int peer = -1);
// The same without an own descriptor: only time, stop or peer.
Ready wait_until(Clock::time_point deadline, const StopEvent& stop, int peer);

// The socket's peer has closed or reset, as far as this side knows now.
bool peer_is_gone(int fd);

// Readable without a wait: on an idle connection that means closed or out of step.
bool is_readable_now(int fd);

void make_nonblocking(int fd);
void set_no_delay(int fd);

// Makes the coming close() reset the connection, so that the peer cannot take what it got for the whole.
void reset_on_close(int fd);

// Writes all pieces in as few calls as the socket takes; false when the peer has gone, took nothing for `idle`, or
// `stop`.
bool write_pieces(int fd, std::initializer_list<std::string_view> pieces, std::chrono::milliseconds idle,
                  const StopEvent& stop);

}  // namespace sanduk
