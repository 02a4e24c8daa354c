// Settings that would have no effect in the chosen mode or for the chosen agent: never silence, always both places.
#include <algorithm>

#include "base/text.h"
#include "resolve/paths.h"
#include "resolve/resolution.h"

namespace sanduk {
namespace {

// A URL that the agent can be given with the key: no credential in it, and nothing readable on the way.
void check_url(Resolution& r, const Setting<std::string>& url) {
  const bool plain = url->starts_with("http://");
  const std::size_t begin = plain ? 7 : 8;
  const std::string host = url->substr(std::min(begin, url->size()), url->find_first_of(":/", begin) - begin);
  const bool good =
      (plain || url->starts_with("https://")) && !host.empty() && url->find_first_of("@ \t\n\"'") == std::string::npos;
  if (!good) {
    r.fault("bad-value", "`agent.base_url` is not the URL of an endpoint", url.origin)
        .with_help("write https://HOST or https://HOST/PATH, without a user or password");
  } else if (plain && !is_loopback(lower(host)) && !*r.profile.provider.insecure_upstream) {
    r.fault("plaintext-upstream", "the key would travel in plaintext to `" + host + "`", url.origin)
        .with_help("use https, or set provider.insecure_upstream = true if you accept that");
  }
}

// The endpoint that the agent is given is the relay, except in the mode that has none.
void check_base_url(Resolution& r) {
  const Setting<std::string>& url = r.profile.agent.base_url;
  if (!url.is_set()) return;
  if (r.plan.mode != NetworkMode::open) {
    r.fault("no-effect",
            "`agent.base_url` has no effect: in mode \"" + *r.profile.network.mode + "\" the agent is given the relay",
            url.origin)
        .at(r.said_at(r.profile.network.mode.origin), "the mode is set here")
        .with_help("use provider.upstream (`--upstream`): it says where the relay sends the calls");
  } else if (r.profile.provider.upstream.is_set()) {
    r.fault("no-effect", "`provider.upstream` has no effect: `agent.base_url` says where the agent calls",
            r.profile.provider.upstream.origin)
        .at(r.said_at(url.origin), "the endpoint is set here")
        .with_help("keep one of the two");
  } else {
    check_url(r, url);
  }
}

// A program of one's own has only what stands in its command.
void check_own_command(Resolution& r) {
  const Profile::Agent& a = r.profile.agent;
  if (!r.agent || !r.agent->argv->empty() || !a.model.is_set() || !a.command.is_set()) return;
  const bool used = std::any_of(a.command->begin(), a.command->end(),
                                [](const ListItem& word) { return word.text.find("{model}") != std::string::npos; });
  if (used) return;
  r.fault("no-effect", "`agent.model` has no effect: nothing in the agent's command is {model}", a.model.origin)
      .at(r.said_at(a.command.origin), "the command is here")
      .with_help("put \"{model}\" where the model belongs, or leave the model out");
}

void check_report_instruction(Resolution& r) {
  const Setting<bool>& instruction = r.profile.agent.report_instruction;
  if (!instruction.is_set() || r.profile.task.is_set() || r.profile.task_file.is_set()) return;
  r.fault("no-effect", "`agent.report_instruction` has no effect: there is no task that it could be added to",
          instruction.origin)
      .with_help("leave it out, or say the task");
}

}  // namespace

void check_effects(Resolution& r) {
  check_base_url(r);
  check_own_command(r);
  check_report_instruction(r);
}

// The files that make this plan what it is: a saved plan is worth what they were.
void resolve_files(Resolution& r) {
  std::vector<PlannedFile>& files = r.plan.files;
  const auto add = [&](const std::string& path, const std::string& sha256) {
    if (!path.empty() && !sha256.empty()) files.push_back({path, sha256});
  };
  for (const std::string& file : r.facts.profile_files) add(file, fact_of(r.facts, file).sha256);
  for (const Setting<FilePath>* setting :
       {&r.profile.provider.cassette, &r.profile.image.containerfile, &r.profile.task_file}) {
    if (!setting->is_set()) continue;
    const PathFact& fact = fact_of(r.facts, absolute_path((*setting)->text, setting->origin, r.profile, r.facts.home));
    add(fact.resolved, fact.sha256);
  }
  std::sort(files.begin(), files.end(), [](const PlannedFile& a, const PlannedFile& b) { return a.path < b.path; });
  files.erase(std::unique(files.begin(), files.end(),
                          [](const PlannedFile& a, const PlannedFile& b) { return a.path == b.path; }),
              files.end());
}

}  // namespace sanduk
