// The way of an answer to the client: bytes go out as they come, framed anew, and are shown to readers afterwards.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "relay/answer.h"
#include "relay/client_socket.h"
#include "relay/forward.h"
#include "relay/scrubber.h"
#include "relay/service.h"

namespace sanduk {

class AnswerStream {
 public:
  AnswerStream(Service& service, ClientSocket& client, const RequestHead& request, Answer& answer);

  enum class End { whole, cut, client_gone, stopped };
  // Passes everything but the sign of the end. `seen` gets what has gone out.
  End pass(const std::function<void(std::string_view)>& seen);
  // Why it is not whole.
  const std::string& why() const { return why_; }

  // Gives the client the end that fits: a tidy one only to a whole answer. True: the connection may go on.
  bool close(End end);

 private:
  bool write(std::string_view bytes);
  bool write_head();
  void look_for_more(const std::function<void(std::string_view)>& seen);

  ClientSocket& client_;
  Answer& answer_;
  Scrubber scrubber_;
  std::optional<CompressedSearch> search_;
  ForwardedHead head_;
  bool head_written_ = false;
  std::string why_;
};

}  // namespace sanduk
