#include "engine/image_pins.h"

#include <algorithm>

#include "base/text.h"
#include "engine/codes.h"

namespace sanduk {
namespace {

std::string command(const PlannedImage& image) {
  return image.pinned_in.empty() ? "sanduk plan --pin PROFILE -o FILE" : "sanduk build --lock PROFILE";
}

Diagnostic drift(const PlannedImage& image, const std::string& words) {
  return error(std::string(codes::image_drift), "the image `" + image.ref + "` " + words);
}

Diagnostic differs(const PlannedImage& image, const std::string& pinned, const std::string& id) {
  Diagnostic diagnostic = drift(image, id.empty() ? "is pinned, and is not there" : "is not the one that is pinned");
  diagnostic.note("pinned: " + pinned + (image.pinned_in.empty() ? "" : ", in " + printable(image.pinned_in)));
  if (!id.empty()) diagnostic.note("there:  " + printable(id));
  return diagnostic;
}

}  // namespace

std::optional<Diagnostic> image_drift(const PlannedImage& image, const std::string& engine, const std::string& id) {
  if (!image.digest.empty() && !id.empty() && id != image.digest)
    return differs(image, image.digest, id).with_help("look at what changed, then pin the new digest");
  if (image.pins.empty()) return std::nullopt;
  const auto pin =
      std::find_if(image.pins.begin(), image.pins.end(), [&](const Variable& one) { return one.name == engine; });
  if (pin == image.pins.end()) {
    Diagnostic diagnostic = drift(image, "is pinned for another engine than " + engine);
    for (const Variable& one : image.pins) diagnostic.note("pinned: " + one.value + ", for " + printable(one.name));
    return diagnostic.with_help("name that engine (engine.name), or pin the image for this one, too");
  }
  if (id == pin->value) return std::nullopt;
  // Built anew it would be another one, whatever it is built from.
  return differs(image, pin->value, id)
      .with_help(id.empty() ? "pull it, or build it and pin the new one: " + command(image)
                            : "look at what changed, then pin it: " + command(image));
}

}  // namespace sanduk
