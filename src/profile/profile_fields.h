// The one table of the profile's settings.
#pragma once

#include "config/argv.h"
#include "config/field.h"
#include "profile/profile.h"

namespace sanduk {

const FieldTable<Profile>& profile_fields();

// Flags that set a field to a value of their own, beside the ones in the table: the original command line's words.
struct FlagAlias {
  std::string flag;
  std::string path;
  std::string value;  // empty: takes one
  std::string help;
};
const std::vector<FlagAlias>& flag_aliases();

// Flags of the original command line that cannot be honoured: why, and what to do instead.
struct RetiredFlag {
  std::string flag;
  std::string why;
  std::string instead;
};
const std::vector<RetiredFlag>& retired_flags();

// Rules for read_argv: every flag of the table, every alias, every retired flag.
std::vector<FlagRule> profile_flags();

}  // namespace sanduk
