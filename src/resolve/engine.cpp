#include "resolve/engine.h"

#include <algorithm>

#include "config/convert.h"
#include "resolve/resolution.h"

namespace sanduk {
namespace {

bool is_runtime_name(const std::string& name) {
  return !name.empty() && std::isalnum(static_cast<unsigned char>(name[0])) != 0 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string_view("._-/").find(c) != std::string_view::npos;
         });
}

}  // namespace

std::string this_platform() {
#ifdef __APPLE__
  return "macos";
#else
  return "linux";
#endif
}

PlannedEngine planned_engine(const EngineRecord& record) {
  PlannedEngine engine;
  engine.name = *record.name;
  engine.program = *record.program;
  engine.dialect = *record.dialect;
  engine.create_flags = texts(*record.create_flags);
  engine.sealed_flags = texts(*record.sealed_flags);
  engine.lacks = texts(*record.lacks);
  engine.rootless_userns = *record.rootless_userns;
  engine.remove = texts(*record.remove);
  engine.label_words = *record.label_words;
  engine.global_runtime = *record.global_runtime;
  engine.gateway_at = *record.network_gateway;
  engine.internal_at = *record.network_internal;
  engine.needs_holder = *record.network_holder;
  engine.mounts_sockets = *record.network_socket;
  engine.virtual_machine = *record.virtual_machine;
  engine.ready = texts(*record.service_ready);
  engine.service_start = texts(*record.service_start);
  engine.service_stop = texts(*record.service_stop);
  engine.start_hint = *record.start_hint;
  engine.permission_hint = *record.permission_hint;
  return engine;
}

std::vector<PlannedEngine> engines_for(const Catalog& catalog, const std::string& platform, Diagnostics& problems) {
  std::vector<PlannedEngine> engines;
  for (const std::string& name : catalog.names("engines")) {
    const std::optional<EngineRecord> record = catalog.engine(name, {}, problems);
    if (!record) continue;
    const std::vector<std::string> platforms = texts(*record->platforms);
    if (std::find(platforms.begin(), platforms.end(), platform) != platforms.end())
      engines.push_back(planned_engine(*record));
  }
  return engines;
}

void resolve_engine(Resolution& r) {
  const Profile::Engine& engine = r.profile.engine;
  r.plan.keep = *engine.keep;
  r.plan.oci_runtime = *engine.oci_runtime;
  if (engine.oci_runtime.is_set() && !is_runtime_name(*engine.oci_runtime)) {
    r.fault("bad-value", "`engine.oci_runtime` is not the name of a runtime", engine.oci_runtime.origin)
        .with_help("write the name under which the engine knows it, such as runsc or kata");
  }
  if (*engine.name == "auto") {
    r.plan.engines = engines_for(r.catalog, r.facts.platform, r.problems);
  } else if (const auto record = r.catalog.engine(*engine.name, engine.name.origin, r.problems)) {
    r.plan.engines = {planned_engine(*record)};
  }
}

// On where the agent was seen to work so, in the image that was built for it.
void resolve_root(Resolution& r) {
  const Setting<bool>& asked = r.profile.engine.read_only_root;
  const bool own_image = r.plan.image.containerfile.starts_with("builtin:") && r.agent;
  r.plan.read_only_root = asked.is_set() ? *asked : own_image && *r.agent->image_read_only;
  if (!r.plan.read_only_root) return;
  r.plan.writable = {"/tmp", "/var/tmp"};
  if (!r.agent) return;
  for (const std::string& directory : texts(*r.agent->image_writable)) r.plan.writable.push_back(directory);
}

}  // namespace sanduk
