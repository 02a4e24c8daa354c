#include "resolve/image_pins.h"

#include <algorithm>

#include "diagnostics/mask.h"

namespace sanduk {
namespace {

bool is_candidate(const Plan& plan, const std::string& engine) {
  return std::any_of(plan.engines.begin(), plan.engines.end(),
                     [&](const PlannedEngine& candidate) { return candidate.name == engine; });
}

}  // namespace

void apply_image_lock(const ImageLock& lock, Plan& plan, Diagnostics& problems) {
  plan.image.pinned_in = lock.file.string();
  Diagnostic drift = error("image-drift", "the image `" + masked(plan.image.ref) + "` is not in the profile's lock");
  if (lock.images.empty()) drift.at(lock.where, "nothing is locked");
  for (const LockedImage& image : lock.images) {
    const bool fits = is_candidate(plan, image.engine);
    if (fits && image.ref == plan.image.ref) plan.image.pins.push_back({image.engine, image.digest});
    drift.at(image.span, fits ? "locked" : "locked, for " + masked(image.engine));
  }
  if (!plan.image.pins.empty()) return;
  drift.with_help("look at what changed, then lock the new image: sanduk build --lock PROFILE");
  problems.add(drift);
}

}  // namespace sanduk
