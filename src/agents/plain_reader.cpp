#include "agents/plain_reader.h"

#include <algorithm>

namespace sanduk {
namespace {

constexpr std::size_t most_tail = std::size_t{64} << 10;
constexpr std::size_t most_line = 4096;  // a longer line is shown in pieces: none is held back for its end

class PlainReader : public AgentReader {
 public:
  explicit PlainReader(Listener listener) : listener_(std::move(listener)) {}

  void feed(std::string_view bytes) override {
    keep(bytes);
    while (!bytes.empty()) {
      const std::size_t newline = bytes.find('\n');
      const std::size_t room = most_line - line_.size();
      const std::size_t take = std::min({newline == std::string_view::npos ? bytes.size() : newline, room});
      line_ += bytes.substr(0, take);
      bytes.remove_prefix(take);
      const bool ended = !bytes.empty() && bytes.front() == '\n';
      if (ended) bytes.remove_prefix(1);
      if (ended || line_.size() == most_line) tell();
    }
  }

  // Its exit code alone says whether it failed.
  AgentResult finish() override {
    tell();
    AgentResult result;
    result.final_record = true;
    result.text = tail_.substr(tail_.size() - std::min(tail_.size(), most_tail));
    return result;
  }

 private:
  void keep(std::string_view bytes) {
    tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), most_tail));
    // Cut only now and then: the cost of it stays small for small pieces.
    if (tail_.size() > 2 * most_tail) tail_.erase(0, tail_.size() - most_tail);
  }

  void tell() {
    if (!line_.empty() && listener_) listener_({AgentEvent::Kind::text, line_, ""});
    line_.clear();
  }

  Listener listener_;
  std::string line_;
  std::string tail_;
};

}  // namespace

std::unique_ptr<AgentReader> make_plain_reader(AgentReader::Listener listener) {
  return std::make_unique<PlainReader>(std::move(listener));
}

}  // namespace sanduk
