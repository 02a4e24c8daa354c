// The command line as a document: a flag puts its value at its field's path of an ordinary tree.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/node.h"

namespace sanduk {

// A flag as the reader needs it. `value` non-empty: the bare flag means that value, and `--flag=VALUE` gives another.
struct FlagRule {
  std::string name;        // "--model"
  std::string short_name;  // "-w"
  std::string path;        // where its value goes: a key path, or "" for a flag of the command itself
  std::string value;
  bool is_list = false;   // every use adds an entry
  bool is_map = false;    // NAME=VALUE; every use adds an entry
  std::string retired{};  // a flag that earlier versions had: why it is refused
  std::string instead{};  // … and what to do
};

struct CommandLine {
  std::vector<std::string> words;  // what is neither a flag nor a flag's value
  std::vector<Span> word_spans;
  std::map<std::string, std::string> options;  // flags of the command itself (path ""), by name; "true" for bare ones
  std::map<std::string, Span> option_spans;
  Document settings;                   // the flags of fields
  std::vector<std::string> set_paths;  // paths given, in order
};

// Reads `arguments` (without the program's name). Flags stand anywhere; `--` ends them. `command_index` words that were
// consumed before (the command's name) are part of `arguments`, so that excerpts show the whole line. Unknown flags,
// abbreviations, missing values and repeated single flags are diagnostics. `--set key.path=value` reaches any path.
CommandLine read_argv(const std::vector<std::string>& arguments, const std::vector<FlagRule>& rules,
                      const std::filesystem::path& directory, Diagnostics& problems);

}  // namespace sanduk
