// The shipped records of container engines, as a plan has them.
#pragma once

#include <stdexcept>
#include <string>

#include "catalog/catalog.h"
#include "resolve/engine.h"

namespace sanduk::test {

inline PlannedEngine engine_named(const std::string& name) {
  Diagnostics problems;
  const auto record = Catalog("/nonexistent").engine(name, {}, problems);
  if (!record) throw std::runtime_error("there is no engine " + name);
  return planned_engine(*record);
}

}  // namespace sanduk::test
