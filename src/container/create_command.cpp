#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "base/text.h"
#include "container/box.h"
#include "container/covers.h"
#include "diagnostics/diagnostic.h"

namespace sanduk {
namespace {

// One runaway file does not fill the host's disk. No work tree has larger ones.
constexpr int largest_file_gigabytes = 16;
constexpr std::size_t most_argument = 131071;  // MAX_ARG_STRLEN of the kernel, less its zero byte

// What an engine's client may add on its own from its user's settings: in a box without a network a proxy is of no use,
// and its address can hold a password.
constexpr std::array<std::string_view, 10> proxy_variables = {"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY",   "NO_PROXY",
                                                              "ALL_PROXY",  "http_proxy",  "https_proxy", "ftp_proxy",
                                                              "no_proxy",   "all_proxy"};

// Collects argv. Options that the engine lacks are left out.
class Line {
 public:
  explicit Line(const PlannedEngine& engine) : engine_(engine) {}
  const PlannedEngine& engine() const { return engine_; }

  Line& word(std::string_view text) {
    argv_.emplace_back(text);
    return *this;
  }
  Line& words(const std::vector<std::string>& all) {
    argv_.insert(argv_.end(), all.begin(), all.end());
    return *this;
  }
  Line& option(std::string_view name, std::string_view value) {
    const bool lacked = std::find(engine_.lacks.begin(), engine_.lacks.end(), name) != engine_.lacks.end();
    return lacked ? *this : word(name).word(value);
  }
  std::vector<std::string> take() { return std::move(argv_); }

 private:
  const PlannedEngine& engine_;
  std::vector<std::string> argv_;
};

// One field of --mount, whose value is a line of CSV: quoted where it must be, so that no path can add a field.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return "\"" + replace_all(text, "\"", "\"\"") + "\"";
}

// Podman and Apple's engine cut the value at each comma, whatever quotes there are.
void check_mountable(const PlannedEngine& engine, const std::string& path) {
  if (engine.dialect == "docker" || path.find_first_of(",\"") == std::string::npos) return;
  Diagnostic diagnostic = error("mount-path", "`" + printable(path) + "` cannot be mounted by " + engine.name);
  diagnostic.note("its command line takes no comma and no quote in a path");
  diagnostic.with_help("rename it, or use another engine");
  throw RunError(Failure::host, diagnostic);
}

void add_mount(Line& line, const std::string& host, std::string_view box, bool read_only) {
  check_mountable(line.engine(), host);
  check_mountable(line.engine(), std::string(box));
  std::string value = "type=bind," + csv_field("source=" + host) + "," + csv_field("target=" + std::string(box));
  if (read_only) value += ",readonly";
  line.option("--mount", value);
}

void add_mounts(Line& line, const Plan& plan, const BoxNames& names, const std::vector<Cover>& covers) {
  const std::string& workspace = plan.workspace.host_path;
  add_mount(line, workspace, box_workspace, plan.workspace.mode == WorkspaceMode::ro);
  for (const Cover& cover : covers) {
    const std::string target = std::string(box_workspace) + "/" + cover.path;
    switch (cover.how) {
      case Cover::How::held:
        add_mount(line, workspace + "/" + cover.path, target, true);
        break;
      case Cover::How::pinned:
        add_mount(line, workspace + "/" + cover.path, target, false);
        break;
      case Cover::How::stand_in_file:
        add_mount(line, names.guard_directory + "/empty-file", target, true);
        break;
      case Cover::How::stand_in_directory:
        add_mount(line, names.guard_directory + "/empty-directory", target, true);
    }
  }
  for (const PlannedMount& mount : plan.mounts) add_mount(line, mount.host_path, mount.box_path, mount.read_only);
  add_mount(line, names.helper_directory, box_helper.substr(0, box_helper.rfind('/')), true);
  if (plan.transport == Transport::socket) {
    // Read-only keeps the socket from being replaced; one can connect to it all the same.
    add_mount(line, names.socket_directory, box_socket.substr(0, box_socket.rfind('/')), true);
  }
  if (!names.input_file.empty()) add_mount(line, names.input_file, box_input, true);
}

std::string number(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

// A machine of its own has whole processors, and memory in MiB.
void add_machine(Line& line, const PlannedLimits& limits) {
  if (limits.memory_bytes > 0) line.option("--memory", std::to_string(limits.memory_bytes >> 20) + "M");
  if (limits.cpus > 0) line.option("--cpus", std::to_string(std::max(1, static_cast<int>(limits.cpus))));
  line.option("--ulimit", "core=0");
}

void add_limits(Line& line, const PlannedLimits& limits, bool without_groups) {
  if (line.engine().virtual_machine) return add_machine(line, limits);
  if (without_groups) return;
  if (limits.pids > 0) line.option("--pids-limit", std::to_string(limits.pids));
  if (limits.memory_bytes > 0) {
    // The same number twice: no swap besides.
    const std::string memory = std::to_string(limits.memory_bytes);
    line.option("--memory", memory).option("--memory-swap", memory);
  }
  if (limits.cpus > 0) line.option("--cpus", number(limits.cpus));
  line.option("--ulimit", "core=0");
}

// Volumes without a name: they begin with what the image has there, its owners included, and go with the container.
void add_root(Line& line, const Plan& plan) {
  if (!has_read_only_root(plan, line.engine())) return;
  line.word("--read-only");
  for (const std::string& directory : plan.writable) line.option("--mount", "type=volume,target=" + directory);
}

void add_labels(Line& line, const BoxNames& names) {
  const auto label = [&](std::string_view name, const std::string& value) {
    line.option("--label", std::string(name) + "=" + value);
  };
  label(label_run, names.run_id);
  label(label_owner_pid, std::to_string(names.owner_pid));
  label(label_owner_start, names.owner_start_time);
  label(label_state, names.state_directory);
}

bool holds(const std::string& text, std::string_view placeholder) {
  return text.find(placeholder) != std::string::npos;
}

bool has_variable(const Plan& plan, std::string_view name) {
  for (const Variable& variable : plan.agent.variables) {
    if (variable.name == name) return true;
  }
  return false;
}

void add_variables(Line& line, const Plan& plan) {
  for (const Variable& variable : plan.agent.variables) {
    if (variable.name.empty() || holds(variable.name, "=")) throw std::logic_error("a variable without a name");
    if (holds(variable.value, "{token}")) {
      line.option("--env", variable.name);
    } else {
      line.option("--env", variable.name + "=" + with_relay(plan, variable.value));
    }
  }
  if (plan.mode != NetworkMode::sealed) return;
  for (const std::string_view name : proxy_variables) {
    if (!has_variable(plan, name)) line.option("--env", std::string(name) + "=");
  }
}

void add_helper_arguments(Line& line, const Plan& plan, const BoxNames& names) {
  if (plan.transport == Transport::none) {
    line.word("--no-relay");
    if (names.awaits_consent) line.option("--consent", box_consent);
  } else {
    if (!has_variable(plan, plan.agent.token_variable)) throw std::logic_error("no variable holds the run token");
    const bool gateway = plan.transport == Transport::gateway;
    line.option("--socket", gateway ? std::string_view(names.relay_address) : box_socket);
    for (const int port : names.probe_ports) line.option("--probe-port", std::to_string(port));
    line.option("--port", std::to_string(box_relay_port));
    line.option("--token-variable", plan.agent.token_variable);
  }
  const bool uncounted = names.without_limits || names.engine.virtual_machine;
  if (uncounted && plan.limits.pids > 0) line.option("--processes", std::to_string(plan.limits.pids));
  line.option("--file-size", std::to_string(largest_file_gigabytes));
  // The helper alone, without a host that judges, would refuse a workspace that cannot be written.
  const bool read_only = plan.workspace.mode == WorkspaceMode::ro;
  if (!read_only || plan.transport != Transport::none || names.awaits_consent)
    line.option("--probe-writable", box_workspace);
  for (const std::string& path : plan.workspace.protected_paths) {
    const std::string plain = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
    line.option("--probe-protected", std::string(box_workspace) + "/" + plain);
  }
  if (plan.mode == NetworkMode::sealed) {
    for (const std::string_view name : proxy_variables) {
      if (!has_variable(plan, name)) line.option("--drop-variable", name);
    }
  }
  if (names.interactive) line.word("--terminal");
  if (!names.input_file.empty()) line.option("--stdin", box_input);
}

// The task is the user's text, whatever braces it holds; all else is the plan's.
void add_agent(Line& line, const Plan& plan) {
  line.word("--");
  for (const std::string& argument : plan.agent.argv) {
    if (!plan.task.empty() && argument == plan.task) {
      line.word(argument);
      continue;
    }
    if (holds(argument, "{token}")) throw std::logic_error("the run token must not stand in the agent's arguments");
    line.word(with_relay(plan, argument));
  }
}

void check_lengths(const std::vector<std::string>& argv) {
  for (const std::string& argument : argv) {
    if (argument.size() <= most_argument) continue;
    Diagnostic diagnostic = error("argument-too-long", "one argument or variable of the agent is " +
                                                           std::to_string(argument.size()) + " bytes long");
    diagnostic.note("the kernel takes at most " + std::to_string(most_argument) + " bytes");
    diagnostic.with_help("put the text into a file of the workspace, and let the task name that file");
    throw RunError(Failure::profile, diagnostic);
  }
}

}  // namespace

bool has_read_only_root(const Plan& plan, const PlannedEngine& engine) {
  return plan.read_only_root &&
         std::find(engine.lacks.begin(), engine.lacks.end(), "--read-only") == engine.lacks.end();
}

std::string with_relay(const Plan& plan, const std::string& text) {
  if (!holds(text, "{relay}") && !holds(text, "{relay_address}")) return text;
  if (plan.transport == Transport::none) throw std::logic_error("{relay} in a plan without a relay");
  const std::string address = "127.0.0.1:" + std::to_string(box_relay_port);
  return replace_all(replace_all(text, "{relay}", "http://" + address), "{relay_address}", address);
}

std::vector<std::string> create_command(const Plan& plan, const BoxNames& names) {
  return create_command(plan, names, covers_of(plan.workspace, look_on_host(plan.workspace.host_path)));
}

std::vector<std::string> create_command(const Plan& plan, const BoxNames& names, const std::vector<Cover>& covers) {
  if (plan.mode == NetworkMode::sealed && plan.transport == Transport::none && !plan.agent.token_variable.empty()) {
    throw std::logic_error("a sealed box has no way to its relay");
  }
  const PlannedEngine& engine = names.engine;
  Line line(engine);
  line.word(engine.program);
  if (engine.global_runtime && !plan.oci_runtime.empty()) line.option("--runtime", plan.oci_runtime);
  line.word("create").option("--name", names.run_id).words(engine.create_flags);
  add_labels(line, names);
  if (plan.transport == Transport::gateway) {
    line.option("--network", names.network);
  } else if (plan.mode == NetworkMode::sealed) {
    line.option("--network", "none");
  }
  if (plan.mode == NetworkMode::sealed) line.words(engine.sealed_flags);
  line.option("--cap-drop", "ALL").option("--security-opt", "no-new-privileges");
  const std::string uid = std::to_string(plan.user.uid);
  const std::string gid = std::to_string(plan.user.gid);
  line.option("--user", uid + ":" + gid);
  if (names.rootless && !engine.rootless_userns.empty()) {
    line.option("--userns", replace_all(replace_all(engine.rootless_userns, "{uid}", uid), "{gid}", gid));
  }
  if (names.interactive) line.word("--interactive").word("--tty");
  if (!engine.global_runtime && !plan.oci_runtime.empty()) line.option("--runtime", plan.oci_runtime);
  add_limits(line, plan.limits, names.without_limits);
  line.option("--hostname", "sanduk").option("--workdir", box_workspace).option("--stop-timeout", "5");
  add_root(line, plan);
  add_mounts(line, plan, names, covers);
  add_variables(line, plan);
  line.option("--entrypoint", box_helper).word(names.image);
  add_helper_arguments(line, plan, names);
  add_agent(line, plan);
  std::vector<std::string> argv = line.take();
  check_lengths(argv);
  return argv;
}

std::map<std::string, std::string> inherited_variables(const Plan& plan, const Secret& token, const Secret& key) {
  const std::string_view value = plan.mode == NetworkMode::open ? key.reveal() : token.reveal();
  std::map<std::string, std::string> variables;
  for (const Variable& variable : plan.agent.variables) {
    if (!holds(variable.value, "{token}")) continue;
    // A key holds no braces: what is put in is not looked at again.
    variables[variable.name] = replace_all(with_relay(plan, variable.value), "{token}", value);
  }
  return variables;
}

}  // namespace sanduk
