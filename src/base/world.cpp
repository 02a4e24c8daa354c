#include "base/world.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace sanduk {

std::optional<std::string> World::variable(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

ProcessResult World::run(const Command& command, std::chrono::milliseconds timeout) {
  return run_process(command, timeout, std::size_t{16} << 20, stop_fd);
}

Child World::start(const Command& command) { return Child::start(command); }

std::chrono::system_clock::time_point World::now() const { return std::chrono::system_clock::now(); }

std::filesystem::path World::current_directory() const {
  std::error_code error;
  return std::filesystem::current_path(error);
}

std::filesystem::path World::home_directory() const {
  if (const std::optional<std::string> home = variable("HOME"); home && !home->empty()) return *home;
  const passwd* entry = getpwuid(getuid());
  return entry != nullptr && entry->pw_dir != nullptr ? entry->pw_dir : "";
}

namespace {

std::filesystem::path xdg(const World& world, const char* variable, const char* below_home, const std::string& name) {
  const std::optional<std::string> base = world.variable(variable);
  if (base && base->starts_with("/")) return std::filesystem::path(*base) / name;
  const std::filesystem::path home = world.home_directory();
  return home.empty() ? home : home / below_home / name;
}

}  // namespace

std::filesystem::path World::state_directory(const std::string& name) const {
  return xdg(*this, "XDG_STATE_HOME", ".local/state", name);
}

std::filesystem::path World::config_directory(const std::string& name) const {
  return xdg(*this, "XDG_CONFIG_HOME", ".config", name);
}

std::filesystem::path World::system_directory(const std::string& name) const {
  return std::filesystem::path("/etc") / name;
}

std::string timestamp(std::chrono::system_clock::time_point when) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count();
  const std::time_t seconds = milliseconds / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, static_cast<int>(milliseconds % 1000));
  return text.data();
}

}  // namespace sanduk
