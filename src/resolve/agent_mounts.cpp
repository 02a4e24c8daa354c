// Files of the host that an agent finds at a place of its own: standing instructions and skills.
#include "diagnostics/mask.h"
#include "resolve/resolution.h"

namespace sanduk {
namespace {

void add(Resolution& r, const std::string& key, const Setting<FilePath>& setting, const Setting<std::string>& place,
         std::vector<MountRequest>& mounts) {
  if (!setting.is_set()) return;
  if (!place->empty()) {
    mounts.push_back({setting->text, *place, true, setting.origin.span, setting.origin.directory});
    return;
  }
  r.fault("unsupported-setting", "the agent `" + *r.profile.agent.name + "` has nothing for `agent." + key + "`",
          setting.origin)
      .at(r.said_at(r.profile.agent.name.origin), "the agent is set here")
      .with_help("leave it out; say it in the task, or mount it with workspace.mounts");
}

}  // namespace

std::vector<MountRequest> agent_mounts(Resolution& r) {
  std::vector<MountRequest> mounts;
  if (!r.agent) return mounts;
  const Profile::Agent& a = r.profile.agent;
  add(r, "instructions", a.instructions, r.agent->instructions_path, mounts);
  add(r, "skills", a.skills, r.agent->skills_path, mounts);
  return mounts;
}

}  // namespace sanduk
