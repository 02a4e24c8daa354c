// Whether the image that an engine has is the one that a plan may run.
#pragma once

#include <optional>
#include <string>

#include "diagnostics/diagnostic.h"
#include "plan/plan.h"

namespace sanduk {

// Why not, both digests named; nothing where the plan does not pin, or `id` is the one. `id` empty: there is none.
std::optional<Diagnostic> image_drift(const PlannedImage& image, const std::string& engine, const std::string& id);

}  // namespace sanduk
