#include "plan/plan_text.h"

#include "base/json.h"
#include "base/text.h"
#include "plan/plan_json.h"

namespace sanduk {
namespace {

class Page {
 public:
  void group(const std::string& title) { text_ += (text_.empty() ? "" : "\n") + title + "\n"; }
  void row(const std::string& name, const std::string& value) {
    text_ += "  " + name + std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') + printable(value) + "\n";
  }
  void rows(const std::string& name, const std::vector<std::string>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) row(i == 0 ? name : "", values[i]);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string mode_words(NetworkMode mode) {
  switch (mode) {
    case NetworkMode::sealed:
      return "sealed: no way out but the relay, no key in the box";
    case NetworkMode::key_safe:
      return "key-safe: egress, no key in the box";
    case NetworkMode::open:
      return "open: egress, and the key is in the box";
  }
  return "";
}

std::string transport_words(Transport transport) {
  switch (transport) {
    case Transport::none:
      return "none";
    case Transport::socket:
      return "socket: no network interface but lo; one mounted unix socket";
    case Transport::gateway:
      return "gateway: an internal network of this run's own";
  }
  return "";
}

std::string short_task(const std::string& task) {
  const std::string line = replace_all(task.substr(0, 200), "\n", " ");
  return task.size() > 200 ? line + "… (" + human_bytes(task.size()) + ")" : line;
}

void write_relay(Page& page, const Plan& plan) {
  const PlannedRelay& relay = plan.relay;
  page.group("relay");
  page.row("provider", relay.provider);
  if (relay.upstream) {
    const bool is_ipv6 = relay.upstream->host.find(':') != std::string::npos;
    page.row("upstream", relay.upstream->scheme + "://" +
                             (is_ipv6 ? "[" + relay.upstream->host + "]" : relay.upstream->host) + ":" +
                             std::to_string(relay.upstream->port));
    page.row("key", relay.key_source + (relay.key_optional ? " (if set)" : "") +
                        (plan.mode == NetworkMode::open ? ", given to the box" : ", stays on the host"));
  } else {
    page.row("answers", "recorded, from " + relay.cassette);
  }
  if (plan.mode == NetworkMode::open) return;
  std::vector<std::string> routes;
  for (const Route& route : relay.routes) {
    routes.push_back(join(route.methods, ",") + " " + route.path +
                     (route.protocol == Protocol::none ? "" : "  " + protocol_name(route.protocol)));
  }
  page.rows("routes", routes);
  page.row("models", !relay.models ? "any" : relay.models->empty() ? "none" : join(*relay.models, ", "));
  if (relay.max_tokens) page.row("answer cap", std::to_string(*relay.max_tokens) + " tokens");
  if (relay.budget_calls) page.row("budget", std::to_string(*relay.budget_calls) + " calls");
  if (relay.budget_tokens) page.row("budget", std::to_string(*relay.budget_tokens) + " tokens");
  if (relay.budget_usd) {
    page.row("budget",
             JsonWriter().number(*relay.budget_usd).text() + " US dollars, " +
                 (relay.provider_reports_cost ? "as the provider reports them"
                                              : "by the prices of " + std::to_string(relay.prices.size()) + " models"));
  }
  for (const AllowedHost& host : relay.hosts) {
    page.row("tunnel", host.name + " port " + std::to_string(host.port));
  }
  if (!relay.server_tools) page.row("server tools", "none");
}

}  // namespace

std::string render_plan(const Plan& plan) {
  Page page;
  page.group("run");
  page.row("name", plan.name);
  page.row("mode", mode_words(plan.mode));
  page.row("task", short_task(plan.task));
  page.row("digest", plan_digest(plan));

  page.group("box");
  page.row("engine", join(engine_names(plan.engines), ", then ") +
                         (plan.oci_runtime.empty() ? "" : ", runtime " + plan.oci_runtime));
  if (plan.read_only_root) page.row("root", "read-only, but for " + join(plan.writable, ", "));
  page.row("image",
           plan.image.ref + (plan.image.containerfile.empty()
                                 ? ""
                                 : "  (" + std::string(plan.image.rebuild ? "built anew" : "built if missing") +
                                       " from " + plan.image.containerfile + ")"));
  if (!plan.image.recipe.empty()) {
    page.row("recipe", "on top of " + plan.image.base_ref);
    for (const std::string& line : split(plan.image.recipe, '\n')) {
      if (line.starts_with("RUN ")) page.row("", line);
    }
  }
  if (!plan.image.digest.empty()) page.row("digest", plan.image.digest);
  std::vector<std::string> pins;
  for (const Variable& pin : plan.image.pins) pins.push_back(pin.value + " in " + pin.name);
  if (pins.empty() && plan.image.digest.empty()) pins.push_back("no (see plan --pin, build --lock)");
  page.rows("pinned", pins);
  if (!plan.image.pinned_in.empty()) page.row("locked in", plan.image.pinned_in);
  if (plan.verify) page.row("verify", join(plan.verify->argv, " ") + "  (in a second box: no relay, key or network)");
  page.row("user", std::to_string(plan.user.uid) + ":" + std::to_string(plan.user.gid) +
                       ", no capabilities, no new privileges");
  if (plan.mode != NetworkMode::open) page.row("network", transport_words(plan.transport));
  page.row("limits",
           (plan.limits.cpus > 0 ? shell_quoted(std::to_string(plan.limits.cpus).substr(0, 4)) + " cpus, " : "") +
               human_bytes(static_cast<std::uint64_t>(plan.limits.memory_bytes)) + ", " +
               std::to_string(plan.limits.pids) + " processes, " +
               human_seconds(static_cast<double>(plan.limits.timeout_seconds)));

  page.group("mounts");
  const bool read_only = plan.workspace.mode == WorkspaceMode::ro;
  const bool copy = plan.workspace.mode == WorkspaceMode::copy;
  page.row("/work",
           (copy ? "a copy of " : "") + plan.workspace.host_path + (read_only ? "  (read-only)" : "  (read-write)"));
  for (const std::string& path : plan.workspace.protected_paths) page.row("/work/" + path, " (read-only)");
  for (const PlannedMount& mount : plan.mounts) {
    page.row(mount.box_path, mount.host_path + (mount.read_only ? "  (read-only)" : "  (read-write)"));
  }
  page.row("report", "/work/" + plan.workspace.report +
                         (plan.workspace.report_copy.empty() ? "" : ", copied to " + plan.workspace.report_copy));
  for (const std::string& file : plan.workspace.collect) page.row("collected", "/work/" + file);

  page.group("agent");
  page.row("name", plan.agent.name);
  if (plan.agent.protocol != Protocol::none) page.row("protocol", protocol_name(plan.agent.protocol));
  std::vector<std::string> words;
  for (const std::string& word : plan.agent.argv)
    words.push_back(word == plan.task && !word.empty() ? "{task}" : shell_quoted(word));
  page.row("argv", join(words, " "));
  std::vector<std::string> variables;
  // By name: a value may be nobody's business. The token's and the endpoint's are placeholders.
  for (const Variable& variable : plan.agent.variables) {
    variables.push_back(variable.name + (variable.value.starts_with("{") ? "=" + variable.value : ""));
  }
  page.rows("variables", variables);
  if (!plan.agent.input.empty()) page.row("input", plan.agent.input);
  for (const Variable& document : plan.agent.documents) {
    page.row("document", std::string(box_documents) + "/" + document.name);
  }

  write_relay(page, plan);

  page.group("log");
  page.row("bodies", body_log_name(plan.log.bodies));
  if (!plan.log.directory.empty()) page.row("directory", plan.log.directory);
  if (!plan.log.record_file.empty()) page.row("record", plan.log.record_file);
  return page.take();
}

}  // namespace sanduk
