// The JSON Schema of a plan, from the list of its members.
#pragma once

#include <string>

namespace sanduk {

std::string write_plan_schema();

}  // namespace sanduk
