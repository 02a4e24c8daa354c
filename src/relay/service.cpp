#include "relay/service.h"

#include "relay/replay.h"
#include "relay/upstream.h"

namespace sanduk {

Service::Service(RelaySettings given)
    : settings(std::move(given)),
      limits(settings.limits),
      shape(error_shape_of(settings.plan.routes)),
      gate(settings.judge_box),
      budget(settings.plan),
      log(settings.on_call, settings.on_stop),
      transcript(settings.log),
      body_memory(settings.limits.all_bodies) {
  if (settings.plan.upstream) {
    source = std::make_unique<UpstreamSource>(settings.plan, settings.key, limits, stop);
  } else {
    source = std::make_unique<ReplaySource>(load_cassette(settings.plan.cassette), limits, stop);
  }
  if (!settings.log.record_file.empty()) recorder = std::make_unique<Recorder>(settings.log.record_file);
}

}  // namespace sanduk
