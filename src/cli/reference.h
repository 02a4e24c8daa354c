// Everything that is written from the tables for people and shells: the reference page, the man page, completions.
#pragma once

#include <string>
#include <vector>

namespace sanduk {

// schemas/README.md.
std::string reference_page();

// sanduk(1), in man's own language.
std::string manual_page();

// For "bash", "zsh" or "fish"; empty for any other shell.
std::string completion_script(const std::string& shell);

}  // namespace sanduk
