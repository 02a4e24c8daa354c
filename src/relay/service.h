// What all connections of one relay share.
#pragma once

#include <memory>

#include "relay/answer.h"
#include "relay/budget.h"
#include "relay/call_log.h"
#include "relay/client_socket.h"
#include "relay/gate.h"
#include "relay/limits.h"
#include "relay/recorder.h"
#include "relay/relay.h"
#include "relay/socket.h"
#include "relay/transcript.h"

namespace sanduk {

struct Service {
  // Throws RunError for a cassette that cannot be used, a recording that cannot be made, TLS that cannot be prepared.
  explicit Service(RelaySettings settings);

  const RelaySettings settings;
  const Limits& limits;
  StopEvent stop;   // everything ends now
  StopEvent drain;  // no next request is read
  ErrorShape shape;
  BoxGate gate;
  Budget budget;
  CallLog log;
  Transcript transcript;
  MemoryRoom body_memory;
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<AnswerSource> source;
  std::atomic<std::size_t> key_refusals{0};  // of the provider, in a row
};

}  // namespace sanduk
