#include "cli/profile_call.h"

#include "catalog/catalog.h"
#include "profile/load.h"
#include "resolve/probe.h"

namespace sanduk {

Profile read_profile(const Invocation& call, const std::vector<std::string>& files, World& world, Diagnostics& problems) {
  const std::string format = call.option("--format");
  if (!format.empty() && format != "toml" && format != "yaml") {
    problems.add(error("bad-value", "`--format` is toml or yaml").at(call.line.option_spans.at("--format")).with_help("write --format toml or --format yaml"));
  }
  return load_profile(files, call.line.settings, world, problems, format);
}

std::optional<Plan> make_plan(const Invocation& call, const std::vector<std::string>& files, World& world, Diagnostics& problems,
                              Purpose purpose) {
  // What was asked for. From here on every value knows where it was written.
  const Profile profile = read_profile(call, files, world, problems);
  if (problems.has_errors()) return std::nullopt;

  // What will be done. From here on nothing looks back at the profile.
  const Catalog catalog(world.config_directory("sanduk"));
  return resolve(profile, catalog, probe(profile, world), problems, purpose);
}

}  // namespace sanduk
