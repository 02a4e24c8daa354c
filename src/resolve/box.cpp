// The image and the limits.
#include <algorithm>

#include "base/embedded.h"
#include "base/text.h"
#include "diagnostics/mask.h"
#include "plan/plan_json.h"
#include "profile/image_lock.h"
#include "resolve/image_recipe.h"
#include "resolve/paths.h"
#include "resolve/resolution.h"

namespace sanduk {
namespace {

// What the engines take as a reference: no blanks, no control characters, no leading dash that could pass for a flag.
bool is_image_reference(const std::string& ref) {
  return !ref.empty() && ref.size() <= 255 && std::isalnum(static_cast<unsigned char>(ref[0])) != 0 &&
         std::all_of(ref.begin(), ref.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string_view("._-/:@").find(c) != std::string_view::npos;
         });
}

// The tag holds all that goes into the image, so that a change of any builds a new one.
std::string tag(const std::string& name, const std::string& version, const PlannedUser& user,
                std::string_view containerfile) {
  return name + ":" + (version.empty() ? "" : version + "-") + "u" + std::to_string(user.uid) + "-" +
         sha256_hex(containerfile).substr(0, 8);
}

void add_user_arguments(Resolution& r) {
  r.plan.image.build_arguments.push_back({"AGENT_UID", std::to_string(r.plan.user.uid)});
  r.plan.image.build_arguments.push_back({"AGENT_GID", std::to_string(r.plan.user.gid)});
}

void own_containerfile(Resolution& r) {
  const Profile::Image& image = r.profile.image;
  const PathFact& fact =
      fact_of(r.facts, absolute_path(image.containerfile->text, image.containerfile.origin, r.profile, r.facts.home));
  if (!fact.problem.empty()) {
    r.fault("unreadable-file", fact.problem, image.containerfile.origin)
        .with_help("the path is relative to the file that says it");
    return;
  }
  r.plan.image.containerfile = fact.resolved;
  r.plan.image.ref = image.ref.is_set() ? *image.ref : tag("sanduk-custom", "", r.plan.user, fact.text);
  add_user_arguments(r);
}

void agents_image(Resolution& r) {
  const std::string file = *r.agent->image_containerfile;
  const std::optional<std::string_view> text = embedded_file("resources/images/Containerfile." + file);
  if (file.empty() || !text) {
    r.fault("missing-key", "the agent `" + *r.profile.agent.name + "` has no image of its own",
            r.profile.agent.name.origin)
        .with_help("name one: ref = \"…\" or containerfile = \"…\" in [image]");
    return;
  }
  r.plan.image.containerfile = "builtin:" + file;
  add_user_arguments(r);
  if (!r.agent->image_version_argument->empty()) {
    r.plan.image.build_arguments.push_back({*r.agent->image_version_argument, *r.agent->image_version});
  }
  std::string content(*text);
  for (const auto& [name, item] : *r.agent->image_arguments) {
    r.plan.image.build_arguments.push_back({name, item.text});
    content += "\n" + name + "=" + item.text;
  }
  r.plan.image.ref = tag(*r.agent->image_name, *r.agent->image_version, r.plan.user, content);
}

void take_pids(Resolution& r) {
  const Setting<std::int64_t>& pids = r.profile.caps.pids;
  if (*pids < 16 || *pids > 4'194'304) {
    r.fault("bad-value", "`caps.pids` must be from 16 to 4194304", pids.origin)
        .with_help("an agent with its tools needs some hundred");
  }
  r.plan.limits.pids = *pids;
}

}  // namespace

void resolve_image(Resolution& r) {
  const Profile::Image& image = r.profile.image;
  if (image.ref.is_set() && !is_image_reference(*image.ref)) {
    r.fault("bad-value", "`image.ref`: `" + masked(*image.ref) + "` is not an image reference", image.ref.origin)
        .with_help("write NAME:TAG or NAME@sha256:DIGEST");
    return;
  }
  r.plan.image.rebuild = *image.rebuild;
  if (image.containerfile.is_set()) {
    own_containerfile(r);
  } else if (image.ref.is_set()) {
    r.plan.image.ref = *image.ref;
    if (*image.rebuild) {
      r.fault("no-effect", "`image.rebuild` has no effect: there is nothing to build `" + *image.ref + "` from",
              image.rebuild.origin)
          .at(r.said_at(image.ref.origin), "the image is named here")
          .with_help("name a containerfile as well, or leave `rebuild` out");
    }
  } else if (r.agent) {
    agents_image(r);
  }
  resolve_recipe(r);
  if (image.digest.is_set() && !is_image_digest(*image.digest)) {
    r.fault("bad-value", "`image.digest` is not a digest", image.digest.origin)
        .with_help("write sha256: and 64 hexadecimal digits, as `docker image inspect --format {{.Id}}` prints it");
  }
  r.plan.image.digest = *image.digest;
}

void resolve_verify(Resolution& r) {
  const Setting<std::string>& verify = r.profile.verify;
  if (!verify.is_set()) return;
  if (trim(*verify).empty()) {
    r.fault("bad-value", "`verify` is empty", verify.origin).with_help("name a command, such as \"make test\"");
    return;
  }
  if (*r.profile.engine.keep) {
    r.fault("no-effect", "`engine.keep` has no effect: `verify` takes the place of the agent's container",
            r.profile.engine.keep.origin)
        .at(r.said_at(verify.origin), "the command is here")
        .with_help("leave one of the two out");
  }
  r.plan.verify = PlannedVerify{{"sh", "-c", *verify}, r.profile.caps.timeout->seconds};
}

void resolve_limits(Resolution& r) {
  const Profile::Caps& caps = r.profile.caps;
  if (!(*caps.cpus > 0) || *caps.cpus > 4096) {
    r.fault("bad-value", "`caps.cpus` must be more than 0", caps.cpus.origin)
        .with_help("write a number of processors, such as 2 or 0.5");
  }
  // A cap above what the host has asks for nothing; engines refuse the number.
  r.plan.limits.cpus = std::min(*caps.cpus, static_cast<double>(r.facts.cpus));
  if (caps.memory->bytes < (std::int64_t{16} << 20)) {
    r.fault("bad-value", "`caps.memory` must be at least 16M", caps.memory.origin).with_help("an agent needs about 1G");
  }
  r.plan.limits.memory_bytes = caps.memory->bytes;
  take_pids(r);
  if (caps.timeout->seconds < 1 || caps.timeout->seconds > 30 * 86400) {
    r.fault("bad-value", "`caps.timeout` must be from one second to 30 days", caps.timeout.origin)
        .with_help("write 45s, 15m or 2h");
  }
  r.plan.limits.timeout_seconds = caps.timeout->seconds;
}

}  // namespace sanduk
