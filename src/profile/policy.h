// The ceiling of a machine or a user: what no profile may exceed, whoever wrote it.
#pragma once

#include <string>
#include <vector>

#include "base/world.h"
#include "config/field.h"

namespace sanduk {

// Absent settings bound nothing.
struct Policy {
  Setting<TextList> modes;
  Setting<TextList> upstreams;
  Setting<TextList> engines;
  Setting<TextList> mounts;
  Setting<TextList> images;
  Setting<bool> insecure_upstream{true};
  Setting<bool> key_commands{true};
  Setting<bool> keep{true};

  struct Caps {
    Setting<double> cpus;
    Setting<ByteSize> memory;
    Setting<std::int64_t> pids;
    Setting<Duration> timeout;
    Setting<std::int64_t> max_tokens;
    Setting<std::int64_t> tokens;
    Setting<std::int64_t> calls;
  } caps;
};

const FieldTable<Policy>& policy_fields();

// /etc/sanduk/policy.toml and ~/.config/sanduk/policy.toml, as far as they exist. One that is there and cannot be read
// is a fault: a ceiling never falls away in silence.
std::vector<Policy> load_policies(const World& world, Diagnostics& problems);

}  // namespace sanduk
