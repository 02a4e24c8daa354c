// Writes a cassette from real answers: their bytes and times, without any credential.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/secret.h"
#include "relay/answer.h"
#include "relay/cassette.h"
#include "relay/limits.h"
#include "relay/socket.h"

namespace sanduk {

class Recorder {
 public:
  // Makes the file, which must not exist. Throws RunError (Failure::host) when it cannot.
  explicit Recorder(const std::string& path);

  // One answer, while it is on its way.
  class Take {
   public:
    // `key` is covered where the head repeats it; bodies come covered.
    Take(const Question& question, const ResponseHead& head, const Limits& limits, const Secret& key);
    void add(std::string_view bytes);
    void cut() { entry_.cut = true; }

   private:
    friend class Recorder;
    CassetteEntry entry_;
    bool judged_ = false;  // the conditions are worth writing
    std::size_t room_;
    bool too_large_ = false;
    Clock::time_point last_;
  };

  // Appends it to the file.
  void keep(const Take& take);

 private:
  FileDescriptor file_;
  std::mutex mutex_;
};

}  // namespace sanduk
