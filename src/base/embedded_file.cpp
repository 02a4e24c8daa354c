#include "base/embedded.h"

namespace sanduk {

std::optional<std::string_view> embedded_file(std::string_view path) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path == path) return file.bytes;
  }
  return std::nullopt;
}

}  // namespace sanduk
