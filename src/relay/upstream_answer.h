// An answer as the provider sends it: head read strictly, body unframed, every way of ending too early told apart.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "relay/answer.h"
#include "relay/chunked.h"
#include "relay/limits.h"
#include "relay/upstream_pool.h"

namespace sanduk {

class UpstreamAnswer : public Answer {
 public:
  // `reusable`: the request went out whole, so that the connection may serve another one.
  UpstreamAnswer(std::unique_ptr<UpstreamConnection> connection, bool reusable, const Limits& limits,
                 const Watch& watch, UpstreamPool& pool);
  ~UpstreamAnswer() override;

  enum class HeadResult {
    read,
    nothing_came,  // the connection ended before the first byte
    faulty,        // why() says how
    client_gone,
    stopped,
  };
  HeadResult read_head(bool answers_head);

  Next next(std::span<char>& bytes) override;
  bool ready() override;

 private:
  enum class Fill { got, end, broken, timeout, client_gone, stopped };
  Fill fill();
  Next cut(std::string why);
  Next finish();
  // Gives the connection back once the whole body has been read from it, before the client has it: its next request may
  // come at once.
  void release();
  // Unframes what is in the buffer. Nothing: more is needed.
  std::optional<Next> unframe(std::span<char>& bytes);

  std::unique_ptr<UpstreamConnection> connection_;
  bool reusable_;
  const Limits& limits_;
  Watch watch_;
  UpstreamPool& pool_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of what is not yet used
  std::size_t end_ = 0;
  std::uint64_t left_ = 0;
  ChunkedDecoder chunks_;
  bool finished_ = false;
};

}  // namespace sanduk
