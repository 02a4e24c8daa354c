#include "relay/replay.h"

#include <algorithm>

#include "base/text.h"
#include "relay/request_facts.h"

namespace sanduk {
namespace {

bool is_framing_header(std::string_view name) {
  return equal_ignoring_case(name, "content-length") || equal_ignoring_case(name, "transfer-encoding") ||
         equal_ignoring_case(name, "connection");
}

class ReplayAnswer : public Answer {
 public:
  ReplayAnswer(const CassetteEntry& entry, bool answers_head, const Limits& limits, const StopEvent& stop, int client)
      : entry_(entry), stop_(stop), client_(client) {
    std::string text = "HTTP/1.1 " + std::to_string(entry.status) + " " + reason_phrase(entry.status) + "\r\n";
    std::size_t size = 0;
    bool sized = !entry.streamed;
    std::optional<std::string> length;
    for (const auto& [name, value] : entry.headers) {
      if (equal_ignoring_case(name, "content-length")) length = value;
      if (!is_framing_header(name)) text.append(name).append(": ").append(value).append("\r\n");
    }
    for (const CassettePiece& piece : entry.pieces) size += piece.bytes.size();
    sized = sized || length;
    // What is cut promises more than it holds.
    const std::string promised = entry.cut ? length.value_or(std::to_string(size + 1)) : std::to_string(size);
    text += sized ? "content-length: " + promised + "\r\n\r\n" : "transfer-encoding: chunked\r\n\r\n";
    parse_response_head(text, limits, answers_head, head_);
    wait_from_ = Clock::now();
  }

  Next next(std::span<char>& bytes) override {
    if (head_.framing.kind == Framing::Kind::none) return Next::end;
    while (at_ < entry_.pieces.size()) {
      const CassettePiece& piece = entry_.pieces[at_];
      if (piece.delay_ms > 0) {
        const Ready ready = wait_until(wait_from_ + std::chrono::milliseconds(piece.delay_ms), stop_, client_);
        if (ready == Ready::stopped) return Next::stopped;
        if (ready == Ready::peer_gone) return Next::client_gone;
      }
      wait_from_ = Clock::now();
      ++at_;
      if (piece.bytes.empty()) continue;
      copy_ = piece.bytes;
      bytes = {copy_.data(), copy_.size()};
      return Next::bytes;
    }
    if (!entry_.cut) return Next::end;
    why_ = "the recorded answer was cut here";
    return Next::cut;
  }

  bool ready() override { return at_ >= entry_.pieces.size() || entry_.pieces[at_].delay_ms == 0; }

 private:
  const CassetteEntry& entry_;
  const StopEvent& stop_;
  int client_;
  std::size_t at_ = 0;
  Clock::time_point wait_from_;
  std::string copy_;
};

bool holds(const CassetteCondition& when, const RequestFacts& facts, std::string_view body) {
  return (!when.model || *when.model == facts.model) && (!when.stream || *when.stream == facts.stream) &&
         (!when.tools || *when.tools == facts.tools) && (!when.tool_result || *when.tool_result == facts.tool_result) &&
         (!when.contains || body.find(*when.contains) != std::string_view::npos);
}

}  // namespace

ReplaySource::ReplaySource(std::vector<CassetteEntry> entries, const Limits& limits, const StopEvent& stop)
    : entries_(std::move(entries)), limits_(limits), stop_(stop), used_(entries_.size(), false) {}

const CassetteEntry* ReplaySource::find(const Question& question, std::string* asked) {
  const RequestFacts facts = read_request_facts(question.body);
  *asked = std::string(question.method) + " " + std::string(question.path) + " (" + describe(facts) + ")";
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const CassetteEntry& entry = entries_[i];
    const bool method = entry.method == question.method || (question.method == "HEAD" && entry.method == "GET");
    if (used_[i] || !method || entry.path != question.path || !holds(entry.when, facts, question.body)) continue;
    used_[i] = !entry.repeat;
    return &entry;
  }
  return nullptr;
}

std::variant<std::unique_ptr<Answer>, NoAnswer> ReplaySource::ask(const Question& question) {
  std::string asked;
  const CassetteEntry* const entry = find(question, &asked);
  if (entry == nullptr) {
    const auto left = std::count(used_.begin(), used_.end(), false);
    return NoAnswer{
        NoAnswer::Reason::not_recorded,
        no_answer_recorded("the recording has no answer for " + asked + "; " + std::to_string(left) + " of " +
                           std::to_string(entries_.size()) + " answers are left, none of them fits"),
        false};
  }
  return std::make_unique<ReplayAnswer>(*entry, question.method == "HEAD", limits_, stop_, question.client);
}

}  // namespace sanduk
