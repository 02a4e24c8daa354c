// A plan for people: what the box gets, grouped.
#pragma once

#include <string>

#include "plan/plan.h"

namespace sanduk {

std::string render_plan(const Plan& plan);

}  // namespace sanduk
