#include "relay/stop_event.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/portable.h"

namespace sanduk {

StopEvent::StopEvent() {
  std::array<int, 2> ends{};
  if (!make_pipe(ends)) throw std::system_error(errno, std::generic_category(), "pipe");
  read_ = FileDescriptor(ends[0]);
  write_ = FileDescriptor(ends[1]);
}

void StopEvent::set() {
  set_.store(true, std::memory_order_release);
  // Nobody reads the byte: the descriptor stays readable for all who wait.
  if (write_) write_all(write_.get(), "!");
}

}  // namespace sanduk
