// A plan as JSON, both ways, and its digest.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "plan/plan.h"

namespace sanduk {

// Version of the JSON form; another one is refused.
inline constexpr std::int64_t plan_version = 1;

// "sha256:" and 64 hexadecimal digits over everything that the plan says.
std::string plan_digest(const Plan& plan);

// One object, in a fixed order, "sanduk_plan" and "digest" first; ends with a newline.
std::string write_plan_json(const Plan& plan);

// Reads what write_plan_json wrote. Unknown or missing members, other types and a digest that does not fit are faults.
std::optional<Plan> read_plan_json(std::string_view text, const std::string& name, Diagnostics& problems);

std::string sha256_hex(std::string_view bytes);

std::string mode_name(NetworkMode mode);
std::string transport_name(Transport transport);
std::string protocol_name(Protocol protocol);
std::optional<Protocol> protocol_of(std::string_view name);
std::string body_log_name(BodyLog bodies);
std::string workspace_mode_name(WorkspaceMode mode);

// One engine alone, as a plan has it; for the record of a run. Nothing when the text is none.
std::string engine_json(const PlannedEngine& engine);
std::optional<PlannedEngine> read_engine_json(const std::string& text);

std::vector<std::string> engine_names(const std::vector<PlannedEngine>& engines);

}  // namespace sanduk
