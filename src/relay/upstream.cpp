#include "relay/upstream.h"

#include <utility>

#include "relay/forward.h"
#include "relay/upstream_answer.h"

namespace sanduk {
namespace {

NoAnswer failed(std::string why, bool sent) {
  return {NoAnswer::Reason::failed, upstream_failed(std::move(why)), sent};
}

NoAnswer ended(bool stopped, bool sent) {
  return {stopped ? NoAnswer::Reason::stopped : NoAnswer::Reason::client_gone, {}, sent};
}

}  // namespace

UpstreamSource::UpstreamSource(const PlannedRelay& plan, const Secret& key, const Limits& limits, const StopEvent& stop)
    : plan_(plan), key_(key), limits_(limits), stop_(stop), pool_(limits) {
  if (plan.upstream->scheme == "https") tls_.emplace(plan.upstream->host);
}

std::variant<std::unique_ptr<UpstreamConnection>, ConnectFailure> UpstreamSource::connect(const Watch& watch) {
  return connect_upstream(*plan_.upstream, tls_ ? &*tls_ : nullptr, !key_.empty() && !plan_.insecure_upstream, limits_,
                          watch);
}

void UpstreamSource::prewarm() {
  auto connected = connect({&stop_, -1});
  if (auto* const connection = std::get_if<std::unique_ptr<UpstreamConnection>>(&connected)) {
    pool_.give(std::move(*connection));
  }
}

std::variant<std::unique_ptr<Answer>, NoAnswer> UpstreamSource::ask(const Question& question) {
  const Watch watch{&stop_, question.client};
  const Secret head(request_head(question, plan_, key_));  // holds the key: wiped when it is sent
  std::vector<std::string_view> pieces = {head.reveal()};
  pieces.insert(pieces.end(), question.pieces.begin(), question.pieces.end());

  std::unique_ptr<UpstreamConnection> connection = pool_.take();
  for (;;) {
    if (!connection) {
      auto connected = connect(watch);
      if (const auto* const failure = std::get_if<ConnectFailure>(&connected)) {
        if (failure->reason != Ready::timeout) return ended(failure->reason == Ready::stopped, false);
        return failed(failure->why, false);
      }
      connection = std::move(std::get<std::unique_ptr<UpstreamConnection>>(connected));
    }
    const bool reused = connection->reused;
    const Ready sent = connection->write_all(pieces, limits_.upstream_write_idle, watch);
    if (sent == Ready::stopped) return ended(stop_.is_set(), false);
    if (sent == Ready::timeout) return failed("the provider took the request too slowly", false);
    // A provider that refuses a large request closes while it is still being sent: its answer may be there all the
    // same.
    auto answer =
        std::make_unique<UpstreamAnswer>(std::exchange(connection, nullptr), sent == Ready::yes, limits_, watch, pool_);
    switch (answer->read_head(question.method == "HEAD")) {
      case UpstreamAnswer::HeadResult::read:
        break;
      case UpstreamAnswer::HeadResult::faulty:
        return failed(answer->why(), true);
      case UpstreamAnswer::HeadResult::client_gone:
        return ended(false, true);
      case UpstreamAnswer::HeadResult::stopped:
        return ended(true, true);
      case UpstreamAnswer::HeadResult::nothing_came:
        if (!reused) return failed("the provider closed the connection without an answer", true);
        continue;  // it had been closed while idle: once more, on a new connection
    }
    const int status = answer->head().status;
    if (status >= 300 && status < 400 && status != 304) {
      return failed("the provider redirects (" + std::to_string(status) + "); redirects are not followed", false);
    }
    return answer;
  }
}

}  // namespace sanduk
