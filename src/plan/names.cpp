// The words of the plan's enumerations.
#include <array>
#include <utility>

#include "plan/plan_json.h"

namespace sanduk {
namespace {

constexpr std::array protocols = {
    std::pair{Protocol::none, "none"}, std::pair{Protocol::anthropic_messages, "anthropic-messages"},
    std::pair{Protocol::openai_responses, "openai-responses"}, std::pair{Protocol::openai_chat, "openai-chat"},
    std::pair{Protocol::gemini_generate, "gemini-generate"}};

}  // namespace

std::string mode_name(NetworkMode mode) {
  switch (mode) {
    case NetworkMode::sealed:
      return "sealed";
    case NetworkMode::key_safe:
      return "key-safe";
    case NetworkMode::open:
      return "open";
  }
  return "";
}

std::string transport_name(Transport transport) {
  switch (transport) {
    case Transport::none:
      return "none";
    case Transport::socket:
      return "socket";
    case Transport::gateway:
      return "gateway";
  }
  return "";
}

std::string protocol_name(Protocol protocol) {
  for (const auto& [value, name] : protocols) {
    if (value == protocol) return name;
  }
  return "";
}

std::optional<Protocol> protocol_of(std::string_view name) {
  for (const auto& [value, word] : protocols) {
    if (word == name) return value;
  }
  return std::nullopt;
}

std::string workspace_mode_name(WorkspaceMode mode) {
  switch (mode) {
    case WorkspaceMode::rw:
      return "rw";
    case WorkspaceMode::ro:
      return "ro";
    case WorkspaceMode::copy:
      return "copy";
  }
  return "";
}

std::vector<std::string> engine_names(const std::vector<PlannedEngine>& engines) {
  std::vector<std::string> names;
  for (const PlannedEngine& engine : engines) names.push_back(engine.name);
  return names;
}

std::string body_log_name(BodyLog bodies) {
  switch (bodies) {
    case BodyLog::none:
      return "none";
    case BodyLog::digest:
      return "digest";
    case BodyLog::full:
      return "full";
  }
  return "";
}

}  // namespace sanduk
