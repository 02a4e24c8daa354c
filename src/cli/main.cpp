#include "cli/main.h"

namespace sanduk {

int run_command_line(const std::vector<std::string>&) {
  return 70;
}

}  // namespace sanduk
