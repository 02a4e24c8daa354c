// The real key: read from where the plan says, checked with the provider before anything is built.
#pragma once

#include <optional>

#include "base/secret.h"
#include "base/world.h"
#include "diagnostics/diagnostic.h"
#include "plan/plan.h"

namespace sanduk {

// Reads `plan.key_source`. Throws RunError (Failure::host, code "missing-key" or "unreadable-key") naming the variable,
// file or command and what to do; an optional key that is absent gives an empty Secret. Refuses a key with blanks or
// control characters inside (one newline at the end of a file is dropped).
Secret read_key(const PlannedRelay& plan, World& world);

// One GET to the provider with the key, 15 s at most; throws RunError (Failure::host) with code "key-refused" on 401
// and 403 and "upstream-unreachable" on a network or TLS error. Does nothing where the plan has no check, and leaves
// off when the user asks to stop.
void check_key(const PlannedRelay& plan, const Secret& key, const World& world);

}  // namespace sanduk
