#include "resolve/paths.h"

namespace sanduk {

std::filesystem::path absolute_path(const std::string& text, const Origin& origin, const Profile& profile,
                                    const std::string& home) {
  std::filesystem::path path(text);
  if (text == "~" || text.starts_with("~/"))
    path = std::filesystem::path(home) / (text.size() > 2 ? text.substr(2) : "");
  const std::filesystem::path& base = origin.layer == Layer::default_value ? profile.directory : origin.directory;
  return (path.is_absolute() ? path : base / path).lexically_normal();
}

const PathFact& fact_of(const Facts& facts, const std::filesystem::path& path) {
  static const PathFact missing;
  const auto found = facts.paths.find(path.string());
  return found == facts.paths.end() ? missing : found->second;
}

}  // namespace sanduk
