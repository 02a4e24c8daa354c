// What the parsers say of a file that is not valid, in words for whoever wrote it.
#pragma once

#include <memory>
#include <string>

#include "diagnostics/diagnostic.h"

namespace sanduk {

// `why` is toml++'s description, `line` and `column` where it stopped.
Diagnostic toml_fault(const std::shared_ptr<const Source>& source, const std::string& why, std::size_t line,
                      std::size_t column);

// `why` is yaml-cpp's message.
Diagnostic yaml_fault(const std::shared_ptr<const Source>& source, const std::string& why, std::size_t line,
                      std::size_t column);

}  // namespace sanduk
