// Reads the token counters of an answer that has already gone to the client. Never delays it, never fails it: what it
// cannot read is unknown.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "relay/inflate.h"
#include "relay/json_path_reader.h"
#include "relay/limits.h"
#include "relay/protocol.h"
#include "relay/sse_reader.h"

namespace sanduk {

class UsageReader {
 public:
  // `encoding`: the answer's Content-Encoding, empty for none.
  UsageReader(const ProtocolFacts& facts, std::string_view encoding, const Limits& limits);

  void feed(std::string_view bytes);

  // What was reported so far.
  Usage usage() const;
  // The stream said that nothing more comes.
  bool finished() const { return finished_; }

 private:
  void read_plain(std::string_view bytes);
  void found(std::string_view path, std::string_view scalar);

  const ProtocolFacts& facts_;
  JsonPathReader json_;
  SseReader sse_;
  std::unique_ptr<Inflater> inflater_;
  std::optional<bool> is_stream_;  // known from the first byte that is not blank
  std::string start_of_data_;      // of the event at hand, to know "[DONE]"
  Usage usage_;
  std::optional<std::int64_t> thinking_;
  bool finished_ = false;
  bool blind_ = false;
};

}  // namespace sanduk
