#include "relay/upstream_answer.h"

#include <algorithm>

namespace sanduk {
namespace {

constexpr std::size_t buffer_size = 16384;

}  // namespace

UpstreamAnswer::UpstreamAnswer(std::unique_ptr<UpstreamConnection> connection, bool reusable, const Limits& limits,
                               const Watch& watch, UpstreamPool& pool)
    : connection_(std::move(connection)),
      reusable_(reusable),
      limits_(limits),
      watch_(watch),
      pool_(pool),
      buffer_(buffer_size, '\0'),
      chunks_(limits.trailer_bytes) {}

UpstreamAnswer::~UpstreamAnswer() = default;

UpstreamAnswer::Fill UpstreamAnswer::fill() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);  // a large head only: a body is used up before
  const Clock::time_point deadline = Clock::now() + limits_.answer_idle;
  for (;;) {
    if (!connection_->has_buffered()) {
      switch (wait_readable(connection_->fd(), deadline, *watch_.stop, watch_.client)) {
        case Ready::yes:
          break;
        case Ready::timeout:
          return Fill::timeout;
        case Ready::stopped:
          return Fill::stopped;
        case Ready::peer_gone:
          return Fill::client_gone;
      }
    }
    std::size_t got = 0;
    switch (connection_->read_some(buffer_.data() + end_, buffer_.size() - end_, &got)) {
      case UpstreamConnection::Io::done:
        end_ += got;
        return Fill::got;
      case UpstreamConnection::Io::again:
        break;
      case UpstreamConnection::Io::end:
        return Fill::end;
      case UpstreamConnection::Io::broken:
        return Fill::broken;
    }
  }
}

UpstreamAnswer::HeadResult UpstreamAnswer::read_head(bool answers_head) {
  const auto fault = [&](std::string why) {
    why_ = std::move(why);
    return HeadResult::faulty;
  };
  bool anything = false;
  for (std::size_t interim = 0; interim <= limits_.interim_answers; ++interim) {
    HeadFinder finder(limits_.answer_line, limits_.answer_line, limits_.answer_head_bytes);
    for (;;) {
      const std::string_view text(buffer_.data() + begin_, end_ - begin_);
      const std::optional<std::size_t> size = text.empty() ? std::nullopt : finder.find(text);
      if (finder.fault()) return fault("the provider's answer is broken: " + finder.fault()->why);
      if (size) {
        const std::optional<HeadFault> broken =
            parse_response_head(text.substr(0, *size), limits_, answers_head, head_);
        if (broken) return fault("the provider's answer is broken: " + broken->why);
        begin_ += *size;
        break;
      }
      switch (fill()) {
        case Fill::got:
          anything = true;
          break;
        case Fill::timeout:
          return fault("the provider gave no answer in time");
        case Fill::stopped:
          return HeadResult::stopped;
        case Fill::client_gone:
          return HeadResult::client_gone;
        case Fill::end:
        case Fill::broken:
          if (!anything) return HeadResult::nothing_came;
          return fault("the provider closed the connection in the middle of its answer's head");
      }
    }
    if (head_.status == 101) return fault("the provider wants another protocol");
    if (head_.status >= 200) {
      left_ = head_.framing.length;
      return HeadResult::read;
    }
    head_.headers.clear();
  }
  return fault("the provider sent interim answers without end");
}

Answer::Next UpstreamAnswer::cut(std::string why) {
  why_ = std::move(why);
  finished_ = true;
  connection_.reset();
  return Next::cut;
}

void UpstreamAnswer::release() {
  // Bytes beyond the answer belong to nothing: such a connection is out of step.
  if (connection_ && reusable_ && head_.keep_alive && begin_ == end_) pool_.give(std::move(connection_));
  connection_.reset();
}

Answer::Next UpstreamAnswer::finish() {
  finished_ = true;
  release();
  return Next::end;
}

bool UpstreamAnswer::ready() {
  if (finished_ || begin_ != end_) return true;
  if (head_.framing.kind == Framing::Kind::none) return true;
  if (head_.framing.kind == Framing::Kind::length && left_ == 0) return true;
  return chunks_.done();
}

std::optional<Answer::Next> UpstreamAnswer::unframe(std::span<char>& bytes) {
  const std::size_t there = end_ - begin_;
  switch (head_.framing.kind) {
    case Framing::Kind::none:
      return finish();
    case Framing::Kind::length: {
      if (left_ == 0) return finish();
      const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, there));
      if (size == 0) return std::nullopt;
      bytes = {buffer_.data() + begin_, size};
      begin_ += size;
      left_ -= size;
      if (left_ == 0) release();
      return Next::bytes;
    }
    case Framing::Kind::chunked: {
      if (chunks_.done()) return finish();
      const ChunkedDecoder::Step step = chunks_.decode(buffer_.data() + begin_, there);
      bytes = {buffer_.data() + begin_, step.decoded};
      begin_ += step.taken;
      if (chunks_.done()) release();
      if (step.decoded > 0) return Next::bytes;
      if (chunks_.failed()) return cut("the provider's answer is broken: a bad chunk");
      if (chunks_.done()) return finish();
      return std::nullopt;
    }
    case Framing::Kind::until_close:
      if (there == 0) return std::nullopt;
      bytes = {buffer_.data() + begin_, there};
      begin_ = end_;
      return Next::bytes;
  }
  return std::nullopt;
}

Answer::Next UpstreamAnswer::next(std::span<char>& bytes) {
  if (finished_) return Next::end;
  for (;;) {
    if (const std::optional<Next> result = unframe(bytes)) return *result;
    switch (fill()) {
      case Fill::got:
        break;
      case Fill::timeout:
        return cut("the provider fell silent");
      case Fill::stopped:
        return Next::stopped;
      case Fill::client_gone:
        return Next::client_gone;
      case Fill::broken:
        return cut("the provider's connection broke in the middle of the answer");
      case Fill::end:
        if (head_.framing.kind == Framing::Kind::until_close) return finish();
        return cut("the provider closed the connection in the middle of the answer");
    }
  }
}

}  // namespace sanduk
