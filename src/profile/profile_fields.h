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

// Rules for read_argv: every flag of the table and every alias.
std::vector<FlagRule> profile_flags();

}  // namespace sanduk
