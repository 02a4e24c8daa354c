#include "container/engine_facts.h"

#include <algorithm>
#include <stdexcept>

namespace sanduk {
namespace {

// --log-driver none: an attached client gets the output all the same, and the engine keeps no copy of it.
// --pull never: an image that is not here is a fault to be told, not a transfer to be waited for.
const std::vector<EngineFacts>& table() {
  static const std::vector<EngineFacts> engines = {
      {.name = "docker",
       .program = "docker",
       .create_flags = {"--pull", "never", "--log-driver", "none"},
       .sealed_flags = {},
       .rootless_userns = "",
       .start_hint = "start it, for instance with `sudo systemctl start docker`",
       .permission_hint = "let the user in with `sudo usermod -aG docker $USER`, then log in again"},
      // Podman copies the caller's proxy variables into a box unless told not to.
      {.name = "podman",
       .program = "podman",
       .create_flags = {"--pull=never", "--log-driver", "none"},
       .sealed_flags = {"--http-proxy=false"},
       .rootless_userns = "keep-id:uid={uid},gid={gid}",
       .start_hint = "see what `podman info` says",
       .permission_hint = "see what `podman info` says"},
  };
  return engines;
}

}  // namespace

const EngineFacts& engine_facts(std::string_view name) {
  const auto& engines = table();
  const auto found = std::find_if(engines.begin(), engines.end(), [&](const EngineFacts& e) { return e.name == name; });
  if (found == engines.end()) throw std::logic_error("no facts about the engine \"" + std::string(name) + "\"");
  return *found;
}

}  // namespace sanduk
