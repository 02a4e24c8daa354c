#include "relay/answer_stream.h"

#include <array>
#include <charconv>

#include "base/text.h"

namespace sanduk {
namespace {

// "1F3\r\n": a chunk's head.
class ChunkHead {
 public:
  explicit ChunkHead(std::size_t size) {
    char* const end = std::to_chars(text_.data(), text_.data() + text_.size() - 2, size, 16).ptr;
    end[0] = '\r';
    end[1] = '\n';
    size_ = static_cast<std::size_t>(end - text_.data()) + 2;
  }
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 20> text_{};
  std::size_t size_ = 0;
};

}  // namespace

AnswerStream::AnswerStream(Service& service, ClientSocket& client, const RequestHead& request, Answer& answer)
    : client_(client), answer_(answer), scrubber_(service.settings.key), head_(response_head(answer.head(), request)) {
  const Secret& key = service.settings.key;
  Scrubber::cover(head_.text, key);
  const std::string_view encoding = find_header(answer.head().headers, "content-encoding").value_or("");
  const bool gzip = equal_ignoring_case(encoding, "gzip") || equal_ignoring_case(encoding, "x-gzip");
  if (gzip && Scrubber::looks_for(key)) search_.emplace(key, service.limits.inflate_bytes);
}

// Head and first bytes together where both are there.
bool AnswerStream::write(std::string_view bytes) {
  const std::string_view head = head_written_ ? std::string_view() : std::string_view(head_.text);
  head_written_ = true;
  if (bytes.empty()) return head.empty() || client_.write({head});
  if (head_.framing != ClientFraming::chunked) return client_.write({head, bytes});
  return client_.write({head, ChunkHead(bytes.size()).text(), bytes, "\r\n"});
}

bool AnswerStream::write_head() { return head_written_ || write({}); }

AnswerStream::End AnswerStream::pass(const std::function<void(std::string_view)>& seen) {
  for (;;) {
    if (!answer_.ready() && !write_head()) break;
    std::span<char> bytes;
    const Answer::Next next = answer_.next(bytes);
    switch (next) {
      case Answer::Next::bytes: {
        if (search_ && !search_->is_clean({bytes.data(), bytes.size()})) {
          why_ = "the compressed answer holds the key";
          return End::cut;
        }
        const std::span<char> clean = scrubber_.pass(bytes);
        const std::string_view text(clean.data(), clean.size());
        const bool written = text.empty() || write(text);
        if (!text.empty()) seen(text);
        if (written) continue;
        break;
      }
      case Answer::Next::end:
      case Answer::Next::cut: {
        const std::span<char> rest = scrubber_.rest();
        const std::string_view text(rest.data(), rest.size());
        const bool written = write_head() && (text.empty() || write(text));
        if (!text.empty()) seen(text);
        why_ = answer_.why();
        if (next == Answer::Next::cut) return End::cut;
        if (written) return End::whole;
        break;
      }
      case Answer::Next::stopped:
        why_ = "the relay was stopped";
        return End::stopped;
      case Answer::Next::client_gone:
        break;
    }
    break;
  }
  why_ = "the client left";
  look_for_more(seen);
  return End::client_gone;
}

// The counters may have come already, behind what the client did not wait for.
void AnswerStream::look_for_more(const std::function<void(std::string_view)>& seen) {
  std::span<char> bytes;
  while (answer_.ready() && answer_.next(bytes) == Answer::Next::bytes) {
    const std::span<char> clean = scrubber_.pass(bytes);
    seen({clean.data(), clean.size()});
  }
}

bool AnswerStream::close(End end) {
  if (end == End::whole) {
    const bool written = head_.framing != ClientFraming::chunked || client_.write({"0\r\n\r\n"});
    return written && head_.keep_alive;
  }
  client_.close_broken(head_.framing == ClientFraming::until_close);
  return false;
}

}  // namespace sanduk
