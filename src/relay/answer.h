// The seam between the relay and what answers it: a provider, or a recording of one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "relay/http_head.h"
#include "relay/refusal.h"

namespace sanduk {

// A judged request.
struct Question {
  std::string_view method;
  std::string_view path;
  std::string_view query;
  const Headers* headers = nullptr;  // as the client sent them
  bool has_body = false;
  bool was_encoded = false;              // the client's Content-Encoding has been taken off the body
  std::string_view body;                 // as it was judged
  std::vector<std::string_view> pieces;  // as it is sent
  int client = -1;                       // watched while waiting: when it goes, the answer ends
};

// An answer whose head has come, and whose body comes bit by bit.
class Answer {
 public:
  enum class Next {
    bytes,  // more of the body
    end,    // the body is whole
    cut,    // the body ended too early; why() says how
    client_gone,
    stopped,  // the relay ends
  };

  virtual ~Answer() = default;

  const ResponseHead& head() const { return head_; }
  // Waits for the next bytes; they stay until the next call, and may be changed in place.
  virtual Next next(std::span<char>& bytes) = 0;
  // next() would not wait.
  virtual bool ready() = 0;
  const std::string& why() const { return why_; }

 protected:
  ResponseHead head_;
  std::string why_;
};

// Why there is no answer.
struct NoAnswer {
  enum class Reason { failed, not_recorded, client_gone, stopped } reason = Reason::failed;
  Refusal refusal;    // for failed and not_recorded
  bool sent = false;  // the provider may have got the request, and may charge for it
};

class AnswerSource {
 public:
  virtual ~AnswerSource() = default;
  virtual std::variant<std::unique_ptr<Answer>, NoAnswer> ask(const Question& question) = 0;
  virtual void prewarm() {}
  // Frees what is held only to be fast, when descriptors run out.
  virtual void give_up_idle() {}
};

}  // namespace sanduk
