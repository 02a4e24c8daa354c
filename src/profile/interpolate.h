// ${NAME}, ${NAME:-default} and $$ in the settings that may hold them.
#pragma once

#include "base/world.h"
#include "config/node.h"
#include "diagnostics/diagnostic.h"

namespace sanduk {

// Replaces in every string below the key paths that may be interpolated (paths, names, the task, the upstream, plain
// variables; never policy). An unset variable is a fault at its place; elsewhere a `${` is one, too.
void interpolate(Document& document, World& world, Diagnostics& problems);

}  // namespace sanduk
