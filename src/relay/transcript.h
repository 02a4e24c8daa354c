// What the box sent, kept outside of its reach: a digest for each call, or the bytes themselves in numbered files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "plan/plan.h"

namespace sanduk {

class Transcript {
 public:
  explicit Transcript(const PlannedLog& log) : log_(log) {}

  bool wants_digest() const { return log_.bodies != BodyLog::none; }
  // Writes the body's file where the plan wants one. Words when it cannot: a call that cannot be recorded is not made.
  std::optional<std::string> write_body(std::int64_t call_id, std::string_view body) const;

 private:
  const PlannedLog& log_;
};

// SHA-256 as lower-case hexadecimal.
std::string sha256(std::string_view bytes);

}  // namespace sanduk
