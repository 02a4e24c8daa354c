// A flag that threads can wait for together with sockets: its descriptor becomes readable, once and for good.
#pragma once

#include <atomic>

#include "base/files.h"

namespace sanduk {

class StopEvent {
 public:
  StopEvent();

  void set();
  bool is_set() const { return set_.load(std::memory_order_acquire); }
  int fd() const { return read_.get(); }

 private:
  std::atomic<bool> set_{false};
  FileDescriptor read_;
  FileDescriptor write_;
};

}  // namespace sanduk
