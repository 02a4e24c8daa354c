#include "resolve/ceiling.h"

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "config/assign.h"
#include "plan/plan_json.h"
#include "profile/profile_fields.h"

namespace sanduk {
namespace {

class Ceiling {
 public:
  Ceiling(const Policy& policy, const Profile* profile, Plan& plan, Diagnostics& problems)
      : policy_(policy), profile_(profile), plan_(plan), problems_(problems) {}

  void check() {
    check_mode();
    check_upstream();
    check_hosts();
    check_engines();
    for (const PlannedMount& mount : plan_.mounts) check_mount(mount);
    check_image();
    check_switches();
    check_caps();
  }

 private:
  // `path` is the setting of the profile that asks, `bound` the setting of the policy that says no.
  template <class T>
  void refuse(const std::string& path, const std::string& what, const Setting<T>& bound, const std::string& help = "") {
    Diagnostic problem = error("ceiling", what + " is more than this machine allows");
    if (profile_ != nullptr) problem.at(place(path));
    problem.at(bound.origin.span, "the ceiling is set here");
    problems_.add(problem.with_help(help.empty() ? "allowed: " + render_value(bound.value) : help));
  }

  Span place(const std::string& path) const {
    const Field<Profile>* row = find_field(profile_fields(), path);
    const Span& said = row->origin(*profile_).span;
    return said.known() ? said : profile_->where;
  }

  static bool holds(const TextList& list, const std::string& word) {
    return std::any_of(list.begin(), list.end(), [&](const ListItem& item) { return item.text == word; });
  }

  void check_mode() {
    if (!policy_.modes.is_set() || holds(*policy_.modes, mode_name(plan_.mode))) return;
    refuse("network.mode", "the mode \"" + mode_name(plan_.mode) + "\"", policy_.modes);
  }

  bool allows(const std::string& host, std::int64_t port) const {
    const std::string with_port = host + ":" + std::to_string(port);
    return std::any_of(policy_.upstreams->begin(), policy_.upstreams->end(), [&](const ListItem& item) {
      const std::string wanted = lower(item.text);
      if (wanted.starts_with("*.")) return host.ends_with(wanted.substr(1));
      return wanted == host || wanted == with_port;
    });
  }

  void check_hosts() {
    if (!policy_.upstreams.is_set()) return;
    for (const AllowedHost& host : plan_.relay.hosts) {
      if (allows(host.name, host.port)) continue;
      refuse("allow.hosts", "the host `" + host.name + ":" + std::to_string(host.port) + "`", policy_.upstreams);
    }
  }

  void check_upstream() {
    if (!policy_.upstreams.is_set() || !plan_.relay.upstream) return;
    const Upstream& upstream = *plan_.relay.upstream;
    const std::string with_port = upstream.host + ":" + std::to_string(upstream.port);
    const bool allowed = allows(upstream.host, upstream.port);
    const bool own = profile_ == nullptr || profile_->provider.upstream.is_set();
    if (!allowed)
      refuse(own ? "provider.upstream" : "provider.name", "the upstream `" + with_port + "`", policy_.upstreams);
  }

  void check_engines() {
    if (!policy_.engines.is_set() || plan_.engines.empty()) return;
    const std::vector<std::string> wanted = engine_names(plan_.engines);
    std::erase_if(plan_.engines, [&](const PlannedEngine& engine) { return !holds(*policy_.engines, engine.name); });
    if (plan_.engines.empty()) refuse("engine.name", "the engine " + join(wanted, ", "), policy_.engines);
  }

  void check_mount(const PlannedMount& mount) {
    if (!policy_.mounts.is_set()) return;
    const bool allowed = std::any_of(policy_.mounts->begin(), policy_.mounts->end(), [&](const ListItem& item) {
      const bool read_only = item.text.ends_with(":ro");
      const std::string directory = read_only ? item.text.substr(0, item.text.size() - 3) : item.text;
      return directory.starts_with('/') && is_inside(mount.host_path, resolved(directory)) &&
             (mount.read_only || !read_only);
    });
    if (!allowed) refuse("workspace.mounts", "the mount `" + mount.host_path + "`", policy_.mounts);
  }

  // A name says what is in an image only when it was not built from the profile's own Containerfile.
  bool is_allowed_image(const std::string& entry) const {
    const PlannedImage& image = plan_.image;
    if (!image.recipe.empty()) return entry == "containerfile";  // image.add: commands of the profile's own
    if (image.containerfile.starts_with("builtin:")) return entry == "builtin";
    if (!image.containerfile.empty()) return entry == "containerfile";
    if (entry.starts_with("sha256:")) return image.ref.ends_with("@" + entry);
    return !entry.empty() && entry != "builtin" && entry != "containerfile" && image.ref.starts_with(entry);
  }

  void check_image() {
    if (!policy_.images.is_set() || plan_.image.ref.empty()) return;
    if (std::any_of(policy_.images->begin(), policy_.images->end(),
                    [&](const ListItem& item) { return is_allowed_image(item.text); }))
      return;
    const bool built = profile_ != nullptr && profile_->image.containerfile.is_set();
    refuse(built ? "image.containerfile" : "image.ref", "the image `" + plan_.image.ref + "`", policy_.images);
  }

  void check_switches() {
    if (!*policy_.insecure_upstream && plan_.relay.insecure_upstream) {
      refuse("provider.insecure_upstream", "a key in plaintext", policy_.insecure_upstream, "use an https upstream");
    }
    if (!*policy_.key_commands && plan_.relay.key_source.starts_with("command:")) {
      refuse("provider.key", "a program that prints the key", policy_.key_commands, "use env:NAME or file:PATH");
    }
    if (!*policy_.keep && plan_.keep) refuse("engine.keep", "a container that is kept", policy_.keep, "leave it out");
  }

  template <class T>
  void check_cap(const std::string& path, double wanted, const Setting<T>& bound) {
    if (!bound.is_set() || wanted <= comparable(bound).number) return;
    refuse(path, "`" + path + "`", bound, "set " + path + " to at most " + render_value(bound.value));
  }

  void check_budget(const std::string& path, const std::optional<std::int64_t>& wanted,
                    const Setting<std::int64_t>& bound) {
    if (!bound.is_set() || (wanted && *wanted <= *bound)) return;
    if (plan_.mode == NetworkMode::open) {
      return refuse("network.mode", "the mode \"open\", in which nothing holds `" + path + "`,", bound,
                    "use the mode \"sealed\" or \"key-safe\"");
    }
    refuse(path, wanted ? "`" + path + "`" : "a run without `" + path + "`", bound,
           "set " + path + " to at most " + render_value(bound.value));
  }

  void check_caps() {
    const Policy::Caps& caps = policy_.caps;
    check_cap("caps.cpus", plan_.limits.cpus, caps.cpus);
    check_cap("caps.memory", static_cast<double>(plan_.limits.memory_bytes), caps.memory);
    check_cap("caps.pids", static_cast<double>(plan_.limits.pids), caps.pids);
    check_cap("caps.timeout", static_cast<double>(plan_.limits.timeout_seconds), caps.timeout);
    check_budget("caps.max_tokens", plan_.relay.max_tokens, caps.max_tokens);
    check_budget("caps.tokens", plan_.relay.budget_tokens, caps.tokens);
    check_budget("caps.calls", plan_.relay.budget_calls, caps.calls);
  }

  const Policy& policy_;
  const Profile* profile_;
  Plan& plan_;
  Diagnostics& problems_;
};

}  // namespace

void apply_ceilings(const std::vector<Policy>& policies, const Profile* profile, Plan& plan, Diagnostics& problems) {
  for (const Policy& policy : policies) Ceiling(policy, profile, plan, problems).check();
}

}  // namespace sanduk
