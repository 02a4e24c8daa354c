// A recording as a source of answers, in place of a provider.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "relay/answer.h"
#include "relay/cassette.h"
#include "relay/limits.h"
#include "relay/socket.h"

namespace sanduk {

class ReplaySource : public AnswerSource {
 public:
  ReplaySource(std::vector<CassetteEntry> entries, const Limits& limits, const StopEvent& stop);

  // The first unused entry that matches is the answer; it is used up unless it repeats.
  std::variant<std::unique_ptr<Answer>, NoAnswer> ask(const Question& question) override;

 private:
  const CassetteEntry* find(const Question& question, std::string* asked);

  const std::vector<CassetteEntry> entries_;
  const Limits& limits_;
  const StopEvent& stop_;
  std::mutex mutex_;
  std::vector<bool> used_;
};

}  // namespace sanduk
