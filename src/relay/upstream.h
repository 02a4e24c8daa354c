// The provider as a source of answers: pooled connections, one retry where it is safe, a strict reader of what it says.
#pragma once

#include <memory>
#include <optional>

#include "base/secret.h"
#include "plan/plan.h"
#include "relay/answer.h"
#include "relay/limits.h"
#include "relay/proxy.h"
#include "relay/socket.h"
#include "relay/tls.h"
#include "relay/upstream_pool.h"

namespace sanduk {

class UpstreamSource : public AnswerSource {
 public:
  // All references outlive the source. Throws RunError where TLS cannot be prepared.
  UpstreamSource(const PlannedRelay& plan, const Secret& key, std::optional<Proxy> proxy, const Limits& limits,
                 const StopEvent& stop);

  std::variant<std::unique_ptr<Answer>, NoAnswer> ask(const Question& question) override;
  void prewarm() override;
  void give_up_idle() override { pool_.clear(); }

 private:
  std::variant<std::unique_ptr<UpstreamConnection>, ConnectFailure> connect(const Watch& watch);

  const PlannedRelay& plan_;
  const Secret& key_;
  const std::optional<Proxy> proxy_;
  const Limits& limits_;
  const StopEvent& stop_;
  std::optional<TlsContext> tls_;  // before the pool, whose connections it serves
  UpstreamPool pool_;
};

}  // namespace sanduk
