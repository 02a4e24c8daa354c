// A model behind a scripted upstream that does one piece of work, whoever asks and in whichever protocol: it has the
// agent run digest.sh, reads the digest from what the agent sends back, has it written into REPORT.md, and says so.
// It never learns the nonce: a right digest can only have come from the agent's own shell.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "support/scripted_upstream.h"

namespace sanduk::test {

// What goes wrong at the provider, how often (-1: always), and after how many good answers.
struct ScriptedFault {
  enum class Kind { none, bad_model, too_many_requests, cut_stream, silence };
  Kind kind = Kind::none;
  int times = -1;
  int after = 0;
};

class ScriptedModel {
 public:
  static constexpr int input_tokens = 100;  // a call; with the cached ones where the protocol counts them in
  static constexpr int cached_tokens = 40;
  static constexpr int output_tokens = 20;

  explicit ScriptedModel(ScriptedFault fault = {}) : fault_(fault) {}

  ScriptedAnswer answer(const ScriptedRequest& request);

  int answers() const { return answers_; }    // model calls that it answered in full
  int streamed() const { return streamed_; }  // of those, as a stream
  bool heard(const std::string& word) const;  // in any request so far

 private:
  ScriptedAnswer fail(bool stream);

  ScriptedFault fault_;
  mutable std::mutex mutex_;
  std::string heard_;  // bodies, up to a bound
  std::atomic<int> faults_{0};
  std::atomic<int> answers_{0};
  std::atomic<int> streamed_{0};
};

}  // namespace sanduk::test
