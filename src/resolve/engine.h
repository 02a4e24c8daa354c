// From the record of a container engine to what a plan says of it.
#pragma once

#include "catalog/catalog.h"
#include "plan/plan.h"

namespace sanduk {

PlannedEngine planned_engine(const EngineRecord& record);

// Those that `auto` considers on `platform`, in the order in which they are tried. Faults of their files are told.
std::vector<PlannedEngine> engines_for(const Catalog& catalog, const std::string& platform, Diagnostics& problems);

// "linux" or "macos": where this program runs.
std::string this_platform();

}  // namespace sanduk
