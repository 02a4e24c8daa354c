// How diagnostics are said: JSON first, text from the same data.
#pragma once

#include <string>

#include "diagnostics/diagnostic.h"

namespace sanduk {

struct RenderStyle {
  bool color = false;
};

// One object {"errors": N, "warnings": N, "diagnostics": [...]}; schema: schemas/diagnostics.schema.json.
std::string render_json(const Diagnostics& problems);

// One diagnostic in rustc's manner, with a trailing newline.
std::string render_text(const Diagnostic& diagnostic, const RenderStyle& style = {});

// All, in file order, and "sanduk: N error(s); nothing was started" as the last line when there are errors.
std::string render_text(const Diagnostics& problems, const RenderStyle& style = {});

}  // namespace sanduk
