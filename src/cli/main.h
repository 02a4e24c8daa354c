// The program behind main(): one command line in, one exit code out.
#pragma once

#include <string>
#include <vector>

namespace sanduk {

int run_command_line(const std::vector<std::string>& arguments);

}  // namespace sanduk
