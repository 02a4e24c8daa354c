// The Containerfile that adds a profile's packages and commands to an image: image.add.
#pragma once

#include <string>

#include "resolve/resolution.h"

namespace sanduk {

// Puts the recipe over the image that the plan names so far: its text, and a new name that holds the text's digest.
// Does nothing where the profile adds nothing.
void resolve_recipe(Resolution& r);

}  // namespace sanduk
