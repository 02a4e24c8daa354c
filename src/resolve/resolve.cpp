#include "resolve/resolve.h"

#include "resolve/agent_record.h"
#include "resolve/resolution.h"

namespace sanduk {

std::optional<Plan> resolve(const Profile& profile, const Catalog& catalog, const Facts& facts, Diagnostics& problems,
                            Purpose purpose) {
  Resolution r{profile, catalog, facts, problems};
  if (purpose == Purpose::run) r.agent = catalog.agent(*profile.agent.name, profile.agent.name.origin, problems);
  if (r.agent) {
    const std::size_t faults_before = problems.count_errors();
    check_agent_record(*r.agent, problems);
    if (problems.count_errors() != faults_before)
      r.agent.reset();  // what follows from a bad descriptor says nothing new
  }
  r.provider = catalog.provider(*profile.provider.name, profile.provider.name.origin, problems);

  r.plan.name = !profile.name->empty()  ? *profile.name
                : profile.files.empty() ? "run"
                                        : profile.files.back().stem().string();
  if (purpose == Purpose::run) {
    resolve_engine(r);
    resolve_mode(r);
  }
  resolve_provider(r);
  resolve_key(r);
  resolve_hosts(r);
  resolve_routes(r);
  resolve_money(r);
  if (purpose == Purpose::run) {
    resolve_workspace(r);
    resolve_mounts(r);
  }
  resolve_log(r);
  if (purpose == Purpose::run) {
    resolve_task(r);
    resolve_agent(r);
    resolve_image(r);
    resolve_verify(r);
    resolve_limits(r);
    resolve_root(r);
    check_effects(r);
  }
  resolve_files(r);

  if (problems.has_errors()) return std::nullopt;
  return std::move(r.plan);
}

}  // namespace sanduk
