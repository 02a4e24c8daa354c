#include "engine/doctor.h"

#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/files.h"
#include "base/secret.h"
#include "base/text.h"
#include "engine/engine_client.h"
#include "engine/execute.h"
#include "engine/image_pins.h"
#include "plan/plan_json.h"
#include "relay/key.h"

namespace sanduk {
namespace {

using Grade = Finding::Grade;

// Faults of engines that matter to a box. Distributors mend older versions, which a number alone does not tell.
struct Advisory {
  const char* engine;
  const char* fixed_in;
  const char* words;
};
constexpr Advisory advisories[] = {
    {"docker", "23.0.11", "names asked on an internal network may leave it (CVE-2024-29018); only transport `gateway`"},
    {"docker", "20.10.24", "several ways out of a container were closed by then"},
    {"podman", "4.3.0", "`--userns=keep-id:uid=` is not known: without root, files would not be yours"},
};

ProcessResult ask(World& world, const PlannedEngine& engine, std::vector<std::string> words) {
  words.insert(words.begin(), engine.program);
  return world.run({.argv = std::move(words), .variables = {}, .input = {}}, engine_patience);
}

void examine_version(const PlannedEngine& engine, const std::string& version, std::vector<Finding>& findings) {
  for (const Advisory& advisory : advisories) {
    if (engine.name != advisory.engine || !is_older(version, advisory.fixed_in)) continue;
    findings.push_back({"version", Grade::warn,
                        engine.name + " is older than " + advisory.fixed_in + ": " + advisory.words,
                        "update " + engine.name + ", unless your distributor has mended it"});
    return;
  }
  findings.push_back({"version", Grade::ok, engine.name + " " + version, ""});
}

std::string user_name() {
  const passwd* user = getpwuid(geteuid());
  return user == nullptr ? std::to_string(geteuid()) : user->pw_name;
}

bool has_range(const char* file) {
  FileResult<std::string> text = read_file(file, std::size_t{1} << 20);
  if (!text) return false;
  const std::string by_name = user_name() + ":";
  const std::string by_number = std::to_string(geteuid()) + ":";
  for (const std::string& line : split(*text, '\n')) {
    if (line.starts_with(by_name) || line.starts_with(by_number)) return true;
  }
  return false;
}

bool mentions_rootless(World& world, const PlannedEngine& engine) {
  const ProcessResult options = ask(world, engine, {"info", "--format", "{{.SecurityOptions}}"});
  return options.ok() && options.output.find("rootless") != std::string::npos;
}

void examine_user(World& world, const PlannedEngine& engine, std::vector<Finding>& findings) {
  const bool own_user_space = geteuid() != 0 && !engine.rootless_userns.empty();
  if (engine.name == "docker" && mentions_rootless(world, engine)) {
    findings.push_back({"user", Grade::fail, "Docker runs without root: the box's user would not be you",
                        "use Podman without root, or Docker with it"});
    return;
  }
  if (!own_user_space) {
    findings.push_back(
        {"user", Grade::ok, engine.name + " runs with root's rights; a box runs as the owner of its workspace", ""});
    return;
  }
  if (!has_range("/etc/subuid") || !has_range("/etc/subgid")) {
    findings.push_back({"user", Grade::fail,
                        user_name() + " has no range of users of its own in /etc/subuid and /etc/subgid",
                        "sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 " + user_name()});
    return;
  }
  findings.push_back({"user", Grade::ok, engine.name + " runs without root; in a box you are you", ""});
  if (has_rootless_limits(world, engine)) {
    findings.push_back({"limits", Grade::ok, "memory, processors and processes of a box are held", ""});
  } else {
    findings.push_back({"limits", Grade::warn, "without root, this machine holds a box to no memory and no processors",
                        "boot with control groups of version 2, and hand memory, cpu and pids to users"});
  }
}

// State and runtime places of its own: an examination leaves no record.
class ExaminingWorld : public World {
 public:
  ExaminingWorld(const World& outer, std::filesystem::path root) : outer_(outer), root_(std::move(root)) {}
  std::optional<std::string> variable(const std::string& name) const override {
    if (name == "XDG_STATE_HOME") return (root_ / "state").string();
    return outer_.variable(name);
  }

 private:
  const World& outer_;
  std::filesystem::path root_;
};

void examine_image(World& world, const Plan& plan, const PlannedEngine& engine, bool& there,
                   std::vector<Finding>& findings) {
  const FoundImage image = inspect_image(world, engine, plan.image.ref);
  there = image.exists;
  const std::string uid = std::to_string(plan.user.uid);
  if (const auto drift = image_drift(plan.image, engine.name, image.id)) {
    there = false;
    findings.push_back({"image", Grade::fail, drift->message + "; " + join(drift->notes, "; "), drift->help});
  } else if (!image.exists && plan.image.containerfile.empty()) {
    findings.push_back({"image", Grade::fail, engine.name + " has no image " + plan.image.ref,
                        engine.program + " pull " + shell_quoted(plan.image.ref)});
  } else if (!image.exists) {
    findings.push_back({"image", Grade::warn,
                        "the image " + plan.image.ref + " is not built yet; the next run builds it", "sanduk build"});
  } else if (!image.agent_uid.empty() && image.agent_uid != uid) {
    there = false;
    findings.push_back({"image", Grade::fail, "the image was built for user " + image.agent_uid + ", not " + uid,
                        engine.program + " image rm " + shell_quoted(plan.image.ref)});
  } else {
    findings.push_back({"image", Grade::ok, plan.image.ref, ""});
  }
}

// The plan's box without its agent, its key and its workspace.
Plan probe_plan(const Plan& plan, const PlannedEngine& engine, const std::filesystem::path& workspace) {
  Plan probe;
  probe.name = "doctor";
  probe.agent.name = "probe";
  probe.agent.argv = {"/bin/sh", "-c", "echo here > /work/probe && echo done"};
  probe.agent.variables = {{"PROBE_TOKEN", "{token}"}};
  probe.agent.token_variable = "PROBE_TOKEN";
  probe.agent.reader = "plain";
  probe.image = plan.image;
  probe.image.rebuild = false;
  probe.workspace.host_path = workspace.string();
  probe.engines = {engine};
  probe.oci_runtime = plan.oci_runtime;
  probe.mode = NetworkMode::sealed;
  probe.transport = plan.transport == Transport::none ? Transport::socket : plan.transport;
  probe.user = plan.user;
  probe.limits = plan.limits;
  probe.limits.timeout_seconds = 60;
  probe.relay.provider = "probe";
  probe.relay.upstream = Upstream{"http", "127.0.0.1", 9};
  probe.relay.key_source = "none";
  probe.relay.auth_header = "x-api-key";
  probe.relay.routes = {{{"POST"}, "/none", Protocol::none, false}};
  return probe;
}

void judge_probe(const RunOutcome& outcome, const Plan& probe, std::vector<Finding>& findings) {
  const std::string transport = transport_name(probe.transport);
  if (outcome.status != RunStatus::done) {
    std::string words = "a probe box did not come up";
    if (outcome.diagnostic) {
      words += ": " + outcome.diagnostic->message;
      for (const std::string& note : outcome.diagnostic->notes) words += "; " + note;
    }
    findings.push_back({"transport", Grade::fail, printable(words),
                        outcome.diagnostic && !outcome.diagnostic->help.empty()
                            ? outcome.diagnostic->help
                            : "see what the engine says of `run --network none`"});
    return;
  }
  findings.push_back({"transport", Grade::ok,
                      "`" + transport +
                          "`: a probe box had no way out, reached the relay and was what was planned, in " +
                          human_seconds(outcome.seconds),
                      ""});
  struct stat status {};
  const std::string file = probe.workspace.host_path + "/probe";
  if (stat(file.c_str(), &status) != 0) {
    findings.push_back({"files", Grade::fail, "what the probe box wrote did not reach the host", ""});
  } else if (static_cast<std::int64_t>(status.st_uid) != probe.user.uid) {
    findings.push_back({"files", Grade::fail,
                        "a file of the probe box belongs to user " + std::to_string(status.st_uid) + ", not " +
                            std::to_string(probe.user.uid),
                        "see `--userns` of your engine"});
  } else {
    findings.push_back({"files", Grade::ok, "what a box writes belongs to user " + std::to_string(status.st_uid), ""});
  }
}

void probe_box(World& world, const Plan& plan, const PlannedEngine& engine, std::vector<Finding>& findings) {
  std::string pattern = "/tmp/sanduk-doctor-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    findings.push_back({"transport", Grade::fail, "cannot make a directory in /tmp", "make /tmp writable"});
    return;
  }
  const std::filesystem::path root = pattern;
  std::error_code ignored;
  // The box's user must find the workspace.
  chmod(root.c_str(), 0711);
  const std::filesystem::path workspace = root / "work";
  std::filesystem::create_directory(workspace, ignored);
  if (geteuid() == 0 &&
      chown(workspace.c_str(), static_cast<uid_t>(plan.user.uid), static_cast<gid_t>(plan.user.gid)) != 0) {
    findings.push_back({"transport", Grade::fail, "cannot make a workspace for the probe", ""});
  } else {
    const Plan probe = probe_plan(plan, engine, workspace);
    ExaminingWorld inner(world, root);
    inner.stop_fd = world.stop_fd;
    judge_probe(execute(probe, write_plan_json(probe), inner, {}), probe, findings);
  }
  std::filesystem::remove_all(root, ignored);
}

void examine_key(World& world, const Plan& plan, std::vector<Finding>& findings) {
  if (plan.relay.key_source == "none" || plan.relay.key_source.empty()) {
    findings.push_back({"key", Grade::ok, "none is needed", ""});
    return;
  }
  try {
    const Secret key = read_key(plan.relay, world);
    findings.push_back(
        {"key", Grade::ok, "found " + key_finding_words(plan.relay.key_source) + "; not sent anywhere", ""});
  } catch (const RunError& fault) {
    findings.push_back({"key", Grade::fail, fault.diagnostic.message, fault.diagnostic.help});
  }
}

void examine_listeners(const Plan& plan, std::vector<Finding>& findings) {
  if (plan.mode == NetworkMode::sealed && plan.transport == Transport::socket) {
    findings.push_back({"listeners", Grade::ok, "no service of this host is in a box's reach", ""});
    return;
  }
  std::set<int> ports;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    FileResult<std::string> text = read_file(table, std::size_t{4} << 20);
    if (!text) continue;
    for (const int port : open_listeners(*text)) ports.insert(port);
  }
  if (ports.empty()) {
    findings.push_back({"listeners", Grade::ok, "nobody listens on all addresses of this host", ""});
    return;
  }
  std::vector<std::string> words;
  for (const int port : ports) words.push_back(std::to_string(port));
  findings.push_back(
      {"listeners", Grade::warn, "a box may reach what listens on all addresses: ports " + join(words, ", "),
       "let these services listen on 127.0.0.1, or use the mode \"sealed\" with the transport \"socket\""});
}

}  // namespace

std::string grade_word(Finding::Grade grade) {
  return grade == Grade::ok ? "ok" : grade == Grade::warn ? "warn" : "fail";
}

bool is_older(const std::string& version, const std::string& than) {
  const auto numbers = [](const std::string& text) {
    std::vector<std::int64_t> result;
    for (const std::string& part : split(text.substr(0, text.find_first_not_of("0123456789.")), '.'))
      result.push_back(parse_decimal(part).value_or(0));
    result.resize(3);
    return result;
  };
  return numbers(version) < numbers(than);
}

std::string key_finding_words(const std::string& key_source) {
  if (key_source.starts_with("env:")) return "in the variable " + key_source.substr(4);
  if (key_source.starts_with("file:")) return "in the file " + key_source.substr(5);
  return "by the command that prints it";
}

std::vector<int> open_listeners(const std::string& table) {
  std::set<int> ports;
  for (const std::string& line : split(table, '\n')) {
    std::vector<std::string> words = split(trim(line), ' ');
    std::erase(words, "");
    if (words.size() < 4 || words[3] != "0A") continue;  // TCP_LISTEN
    const std::size_t colon = words[1].find(':');
    if (colon == std::string::npos || words[1].find_first_not_of('0') < colon) continue;
    ports.insert(static_cast<int>(std::strtol(words[1].c_str() + colon + 1, nullptr, 16)));
  }
  return {ports.begin(), ports.end()};
}

std::optional<PlannedEngine> examine_engines(World& world, const std::vector<PlannedEngine>& candidates,
                                             std::vector<Finding>& findings) {
  std::optional<PlannedEngine> chosen;
  std::vector<Finding> silent;
  for (const PlannedEngine& engine : candidates) {
    const ProcessResult answer = ask(world, engine, engine.ready);
    if (!answer.ok() || trim(answer.output).empty()) {
      const Diagnostic fault = engine_fault(engine, answer).diagnostic;
      std::string words = fault.message;
      for (const std::string& note : fault.notes) words += "; " + note;
      silent.push_back({"engine", Grade::fail, printable(words), fault.help});
      continue;
    }
    if (chosen) {
      findings.push_back({"engine", Grade::ok, engine.name + " answers as well", ""});
      continue;
    }
    chosen = engine;
    findings.push_back({"engine", Grade::ok, engine.name + " answers, and is what `auto` takes", ""});
    examine_version(engine, printable(std::string(trim(answer.output))), findings);
    examine_user(world, engine, findings);
  }
  // One engine is enough.
  for (Finding& finding : silent) {
    if (chosen) {
      finding.grade = Grade::warn;
      finding.fix = "";
    }
    findings.push_back(finding);
  }
  return chosen;
}

void examine_host(World& world, std::vector<Finding>& findings) {
  const std::filesystem::path state = world.state_directory("sanduk");
  if (state.empty() || make_private_directory(state)) {
    findings.push_back({"records", Grade::fail, "the state directory " + state.string() + " cannot be written",
                        "make it writable, or set XDG_STATE_HOME to one that is"});
    return;
  }
  struct statvfs disk {};
  if (statvfs(state.c_str(), &disk) != 0) return;
  const std::uint64_t left = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  const std::string words = human_bytes(left) + " are left for records in " + state.string();
  constexpr std::uint64_t little = std::uint64_t{1} << 30;
  constexpr std::uint64_t least = std::uint64_t{64} << 20;
  const Grade grade = left < least ? Grade::fail : left < little ? Grade::warn : Grade::ok;
  findings.push_back({"disk", grade, words, grade == Grade::ok ? "" : "make room; old records may be deleted"});
}

void examine_plan(World& world, const Plan& plan, const PlannedEngine& engine, std::vector<Finding>& findings) {
  examine_key(world, plan, findings);
  examine_listeners(plan, findings);
  bool there = false;
  try {
    examine_image(world, plan, engine, there, findings);
  } catch (const RunError& fault) {
    findings.push_back({"image", Grade::fail, fault.diagnostic.message, fault.diagnostic.help});
  }
  if (there) {
    probe_box(world, plan, engine, findings);
  } else {
    findings.push_back({"transport", Grade::warn, "not tried: a probe box needs the image", "sanduk build"});
  }
}

}  // namespace sanduk
