// The only door to the outside: processes, variables, clock, random. Tests pass a World that records and answers.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "base/process.h"

namespace sanduk {

class World {
 public:
  virtual ~World() = default;

  virtual std::optional<std::string> variable(const std::string& name) const;
  virtual ProcessResult run(const Command& command, std::chrono::milliseconds timeout);
  virtual Child start(const Command& command);
  virtual std::chrono::system_clock::time_point now() const;
  virtual std::filesystem::path current_directory() const;

  // Becomes readable when the user asked to stop (SIGINT, SIGTERM, SIGHUP); -1 where nobody listens.
  int stop_fd = -1;

  // $XDG_STATE_HOME/NAME or ~/.local/state/NAME; likewise for configuration. Empty without a home.
  std::filesystem::path state_directory(const std::string& name) const;
  std::filesystem::path config_directory(const std::string& name) const;
  std::filesystem::path home_directory() const;
  // What the administrator of this machine says: /etc/NAME.
  virtual std::filesystem::path system_directory(const std::string& name) const;
};

// "2026-01-02T03:04:05.678Z"
std::string timestamp(std::chrono::system_clock::time_point when);

}  // namespace sanduk
