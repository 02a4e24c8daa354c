#include "cli/profile_call.h"

#include "catalog/catalog.h"
#include "profile/load.h"
#include "resolve/ceiling.h"
#include "resolve/image_pins.h"
#include "resolve/probe.h"

namespace sanduk {

Profile read_profile(const Invocation& call, const std::vector<std::string>& files, World& world,
                     Diagnostics& problems) {
  const std::string format = call.option("--format");
  if (!format.empty() && format != "toml" && format != "yaml" && format != "json") {
    problems.add(error("bad-value", "`--format` is toml, yaml or json")
                     .at(call.line.option_spans.at("--format"))
                     .with_help("write --format toml, --format yaml or --format json"));
  }
  return load_profile(files, call.line.settings, world, problems, format);
}

std::optional<Plan> make_plan(const Invocation& call, const std::vector<std::string>& files, World& world,
                              Diagnostics& problems, Purpose purpose, Images images) {
  // What was asked for. From here on every value knows where it was written.
  const Profile profile = read_profile(call, files, world, problems);
  if (problems.has_errors()) return std::nullopt;

  // What will be done. From here on nothing looks back at the profile.
  const Catalog catalog(world.config_directory("sanduk"));
  std::optional<Plan> plan = resolve(profile, catalog, probe(profile, world), problems, purpose);
  if (plan && purpose == Purpose::run && images == Images::locked) {
    const std::optional<ImageLock> lock = load_image_lock(profile, problems);
    if (lock && !problems.has_errors()) apply_image_lock(*lock, *plan, problems);
  }
  if (plan) apply_ceilings(load_policies(world, problems), &profile, *plan, problems);
  if (problems.has_errors()) return std::nullopt;
  return plan;
}

}  // namespace sanduk
