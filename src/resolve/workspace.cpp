// What of the host the box gets to see, and what of that it may not write.
#include <algorithm>

#include "base/files.h"
#include "diagnostics/mask.h"
#include "resolve/paths.h"
#include "resolve/resolution.h"

namespace sanduk {
namespace {

// Why a directory of the host must not be given to a box; empty when it may.
std::string why_not_mountable(const std::filesystem::path& path, const Facts& facts) {
  const std::string text = path.string();
  if (text == "/") return "it is the whole host";
  if (!facts.home.empty() && facts.home != "/") {
    if (text == facts.home) return "it is your home directory, with your keys in it";
    if (is_inside(facts.home, path)) return "your home directory is inside it";
  }
  for (const char* tree : {"/proc", "/sys", "/dev", "/run", "/var/run"}) {
    if (is_inside(path, tree))
      return std::string("it is part of ") + tree + ", where the host's kernel and services are reached";
  }
  for (const char* tree :
       {"/etc", "/usr", "/bin", "/sbin", "/lib", "/boot", "/var", "/root", "/home", "/tmp", "/var/tmp"}) {
    if (text == tree) return "it belongs to the host's system";
  }
  if (is_inside(facts.state_directory, path) || is_inside(path, facts.state_directory))
    return "sanduk's own records are there";
  return "";
}

// A relative path that stays where it is put; empty when it is not one.
std::string clean_relative(const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(text).lexically_normal();
  std::string clean = path.string();
  if (clean.ends_with('/')) clean.pop_back();
  const bool bad = text.empty() || path.is_absolute() || clean.empty() || clean == "." || clean == ".." ||
                   clean.starts_with("../") || text.find_first_of("\n\r") != std::string::npos;
  return bad ? "" : clean;
}

void resolve_protected(Resolution& r, const std::filesystem::path& root) {
  std::vector<std::string>& list = r.plan.workspace.protected_paths;
  for (const ListItem& item : *r.profile.workspace.protect) {
    const std::string clean = clean_relative(item.text);
    const Span place = item.span.known() ? item.span : r.profile.where;
    if (clean.empty()) {
      const std::string what = item.text.empty() ? "an empty path" : "`" + masked(item.text) + "`";
      r.problems.add(error("bad-value", "`workspace.protect`: " + what + " is not a path inside the workspace")
                         .at(place)
                         .with_help("write it relative to the workspace, without `..`"));
      continue;
    }
    if (fact_of(r.facts, root / clean).through_link) {
      r.problems.add(error("protected-link", "the protected path `" + clean + "` goes through a symbolic link")
                         .at(place)
                         .with_help("protect the place that the link leads to, or replace the link"));
      continue;
    }
    list.push_back(clean);
  }
  for (const std::string& file : r.facts.profile_files) {
    if (!root.empty() && is_inside(file, root))
      list.push_back(std::filesystem::path(file).lexically_relative(root).string());
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void resolve_report(Resolution& r) {
  const Setting<std::string>& report = r.profile.workspace.report;
  const std::string clean = clean_relative(*report);
  if (clean.empty()) {
    r.fault("bad-value", "`workspace.report` is not a path inside the workspace", report.origin)
        .with_help("write it relative to the workspace, such as \"REPORT.md\"");
    return;
  }
  for (const std::string& path : r.plan.workspace.protected_paths) {
    if (!is_inside(clean, path)) continue;
    r.fault("report-protected", "the report `" + clean + "` lies in the protected path `" + path + "`", report.origin)
        .at(r.said_at(r.profile.workspace.protect.origin), "protected here")
        .with_help("choose another place for the report");
  }
  r.plan.workspace.report = clean;
}

void resolve_workspace_mode(Resolution& r) {
  const Setting<std::string>& mode = r.profile.workspace.mode;
  r.plan.workspace.mode = *mode == "ro" ? WorkspaceMode::ro : *mode == "copy" ? WorkspaceMode::copy : WorkspaceMode::rw;
  if (r.plan.workspace.mode != WorkspaceMode::ro) return;
  // Where nothing can be written there is no report; what the agent says last is the result.
  if (r.profile.workspace.report.is_set()) {
    r.fault("no-effect", "`workspace.report` has no effect: the workspace is read-only",
            r.profile.workspace.report.origin)
        .at(r.said_at(mode.origin), "the mode is set here")
        .with_help("use workspace.mode = \"copy\", or leave the report out");
  }
  r.plan.workspace.report.clear();
}

// A path that the agent must not reach, against everything that the box is given.
bool in_reach(const Plan& plan, const std::filesystem::path& path) {
  if (!plan.workspace.host_path.empty() && is_inside(path, plan.workspace.host_path)) return true;
  return std::any_of(plan.mounts.begin(), plan.mounts.end(),
                     [&](const PlannedMount& mount) { return is_inside(path, mount.host_path); });
}

void resolve_collected(Resolution& r) {
  for (const ListItem& item : *r.profile.workspace.collect) {
    const std::string clean = clean_relative(item.text);
    if (!clean.empty()) {
      r.plan.workspace.collect.push_back(clean);
      continue;
    }
    r.problems.add(
        error("bad-value", "`workspace.collect`: `" + masked(item.text) + "` is not a path inside the workspace")
            .at(item.span)
            .with_help("write it relative to the workspace, without `..`"));
  }
}

// Behind the mounts: what the box is given is known then.
void resolve_report_copy(Resolution& r) {
  const Setting<FilePath>& copy = r.profile.workspace.report_copy;
  if (!copy.is_set()) return;
  const std::filesystem::path path = absolute_path(copy->text, copy.origin, r.profile, r.facts.home);
  const PathFact& fact = fact_of(r.facts, path);
  if (in_reach(r.plan, fact.resolved) || in_reach(r.plan, path)) {
    r.fault("log-in-reach", "`workspace.report_copy` lies inside what the box is given", copy.origin)
        .with_help("name a place outside of the workspace, or leave it out: the report is in the workspace anyhow");
  } else if (fact.kind == PathFact::Kind::directory || fact.kind == PathFact::Kind::other) {
    r.fault("unwritable-file", "`workspace.report_copy`: there is something else than a file", copy.origin)
        .with_help("name a file");
  }
  r.plan.workspace.report_copy = fact.resolved;
}

void check_mount(Resolution& r, const MountRequest& mount, const PathFact& fact) {
  const auto fault = [&](const std::string& why, const std::string& help) {
    r.problems.add(error("bad-mount", "`" + mount.host + ":" + mount.box + "`: " + why).at(mount.span).with_help(help));
  };
  if (fact.kind == PathFact::Kind::missing)
    return fault("there is no such file or directory on the host",
                 "check the path; it is relative to the file that says it");
  if (fact.kind == PathFact::Kind::other)
    return fault("it is a socket or a device", "only files and directories are mounted");
  if (const std::string why = why_not_mountable(fact.resolved, r.facts); !why.empty())
    return fault(why, "mount the one directory that the agent needs");
  if (mount.box != std::filesystem::path(mount.box).lexically_normal().string() || mount.box.ends_with('/') ||
      mount.box.find_first_of("\n\r\t") != std::string::npos) {
    return fault("the place in the box is not a plain absolute path", "write it like /data");
  }
  for (const char* taken : {"/work", "/sanduk", "/run", "/proc", "/sys", "/dev", "/etc", "/usr", "/bin", "/lib"}) {
    if (is_inside(mount.box, taken) || is_inside(taken, mount.box)) {
      return fault(std::string("the place in the box would cover ") + taken, "choose another place, such as /data");
    }
  }
  for (const PlannedMount& other : r.plan.mounts) {
    if (is_inside(mount.box, other.box_path) || is_inside(other.box_path, mount.box))
      return fault("another mount has this place in the box", "choose another place");
  }
  const std::string& workspace = r.plan.workspace.host_path;
  if (!workspace.empty() && !mount.read_only &&
      (is_inside(fact.resolved, workspace) || is_inside(workspace, fact.resolved))) {
    return fault("it overlaps the workspace, and would make its protected paths writable",
                 "mount it with :ro, or leave it out: the workspace is at /work");
  }
  if (!mount.read_only) {
    for (const std::string& file : r.facts.profile_files) {
      if (is_inside(file, fact.resolved))
        return fault("the profile is inside it, and would be writable", "mount it with :ro");
    }
  }
  r.plan.mounts.push_back({fact.resolved, mount.box, mount.read_only});
}

// The directory itself; empty when it cannot be one.
std::string find_workspace(Resolution& r) {
  const Setting<FilePath>& path = r.profile.workspace.path;
  const std::filesystem::path absolute = absolute_path(path->text, path.origin, r.profile, r.facts.home);
  const PathFact& fact = fact_of(r.facts, absolute);
  if (fact.kind != PathFact::Kind::directory) {
    r.fault("bad-workspace", "the workspace `" + path->text + "` is not a directory", path.origin)
        .with_help("make it, or name another: it is relative to the file that says it (" + absolute.string() + ")");
    return "";
  }
  if (const std::string why = why_not_mountable(fact.resolved, r.facts); !why.empty()) {
    r.fault("bad-workspace", "`" + fact.resolved + "` cannot be the workspace: " + why, path.origin)
        .with_help("give the agent a directory of its own");
    return "";
  }
  // Files that the agent makes belong to the caller; when root calls, to the owner of the workspace.
  const bool for_owner = r.facts.uid == 0 && fact.owner_uid != 0;
  r.plan.user = {for_owner ? fact.owner_uid : r.facts.uid, for_owner ? fact.owner_gid : r.facts.gid};
  return fact.resolved;
}

}  // namespace

void resolve_workspace(Resolution& r) {
  r.plan.workspace.host_path = find_workspace(r);
  // What else is wrong is said in the same go.
  resolve_protected(r, r.plan.workspace.host_path);
  resolve_report(r);
  resolve_workspace_mode(r);
  resolve_collected(r);
}

void resolve_mounts(Resolution& r) {
  std::vector<MountRequest> mounts = *r.profile.workspace.mounts;
  for (MountRequest& mount : agent_mounts(r)) mounts.push_back(std::move(mount));
  for (const MountRequest& mount : mounts) {
    const std::filesystem::path absolute =
        absolute_path(mount.host, {Layer::file, mount.span, mount.directory}, r.profile, r.facts.home);
    check_mount(r, mount, fact_of(r.facts, absolute));
  }
  resolve_report_copy(r);
  const Setting<std::string>& key = r.profile.provider.key;
  if (r.plan.relay.key_source.starts_with("file:") && r.plan.mode != NetworkMode::open) {
    const std::string path = r.plan.relay.key_source.substr(5);
    if (in_reach(r.plan, fact_of(r.facts, path).resolved) || in_reach(r.plan, path)) {
      r.fault("key-in-reach", "the key's file would be readable in the box", key.origin)
          .with_help("keep it outside of the workspace and of every mount");
    }
  }
}

void resolve_log(Resolution& r) {
  const Profile::Log& log = r.profile.log;
  r.plan.log.bodies = *log.bodies == "full" ? BodyLog::full : *log.bodies == "digest" ? BodyLog::digest : BodyLog::none;
  r.plan.log.responses = *log.responses == "full";
  r.plan.log.json_lines = *log.format == "json";
  if (r.plan.log.bodies == BodyLog::full || r.plan.log.responses) r.plan.log.most_bytes = log.max_size->bytes;
  for (const auto& [name, setting, into] :
       {std::tuple{"log.dir", &log.dir, &r.plan.log.directory}, {"log.record", &log.record, &r.plan.log.record_file}}) {
    if (!setting->is_set()) continue;
    const std::filesystem::path path = absolute_path((*setting)->text, setting->origin, r.profile, r.facts.home);
    const PathFact& fact = fact_of(r.facts, path);
    if (in_reach(r.plan, fact.resolved) || in_reach(r.plan, path)) {
      r.fault("log-in-reach",
              "`" + std::string(name) +
                  "` lies inside what the box is given: the agent could read and change its own audit trail",
              setting->origin)
          .with_help("name a place outside of the workspace and of every mount, such as \"../sanduk-logs\"");
    }
    *into = fact.resolved;
  }
  if (log.record.is_set() && fact_of(r.facts, r.plan.log.record_file).kind != PathFact::Kind::missing) {
    r.fault("file-exists", "`log.record`: the file is there already", log.record.origin)
        .with_help("name a new file, or remove the old one: a recording never overwrites");
  }
  if (log.record.is_set() && *r.profile.provider.name == "replay") {
    r.fault("no-effect", "`log.record` has no effect: the answers are recorded ones already", log.record.origin)
        .at(r.said_at(r.profile.provider.name.origin), "the provider is set here")
        .with_help("leave it out");
  }
  const bool keeps_bodies = r.plan.log.bodies == BodyLog::full || r.plan.log.responses;
  if (log.max_size.is_set() && !keeps_bodies && r.plan.mode != NetworkMode::open) {
    r.fault("no-effect", "`log.max_size` has no effect: no bodies are kept", log.max_size.origin)
        .at(r.said_at(log.bodies.origin), "see `log.bodies`")
        .with_help("set log.bodies = \"full\", or leave the size out");
  }
  if (log.dir.is_set() && !keeps_bodies && r.plan.mode != NetworkMode::open) {
    r.fault("no-effect", "`log.dir` has no effect: no bodies are kept", log.dir.origin)
        .at(r.said_at(log.bodies.origin), "see `log.bodies`")
        .with_help("set log.bodies = \"full\", or leave the directory out");
  }
}

}  // namespace sanduk
