#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "container/box.h"
#include "container/key_search.h"
#include "container/report_mounts.h"

// The report holds facts; this file says which of them the plan allows. A fact that is missing is a fault: a box that
// cannot be judged is not good. Members of the report and their meaning:
//
//   report 1            its format                     pid             the helper's own, 1 where it is init
//   listener, filter    outcome of listening for the agent's calls, of setting the system call filter
//   found               no_new_privileges, seccomp: what the engine had set; not judged, since the helper sets its own
//   interfaces          [{name, up}]                   routes          ["DEVICE TO via GATEWAY"], loopback left out
//   reach               {ipv4, ipv6}: outcome of asking the routing table for a public address
//   nameservers         [{address, outcome, answers}]: "answer", "no answer", or an errno
//   vsock               outcome of opening a socket to the hypervisor
//   capabilities        {effective, permitted, inheritable, bounding, ambient}, hexadecimal
//   no_new_privileges   as the agent will have it      user_namespaces outcome of making one; not judged (see gVisor)
//   uid, gid, groups    environment ["NAME=VALUE"]     processes       [{pid, arguments}]
//   root_read_only      whether the image cannot be written
//   writable            [{path, outcome}]
//   protected           [{path, kind, write, rename, parents: [{path, kind, rename}]}]
//   limits              {memory, pids, cpu_thousandths}: -1 none, null not known
//   sockets             [path] of engines              devices         [{name, type}] in /dev
//   mounts              [{path, root, device, options, type}] as mountinfo has them
//   complete            false: it did not fit
//
// An outcome is "ok" or the name of an errno value.

namespace sanduk {
namespace {

using Object = Poco::JSON::Object::Ptr;
using Array = Poco::JSON::Array::Ptr;
using Faults = std::vector<std::string>;

std::string text_of(const Object& object, const std::string& name) { return json_text(object, name).value_or("?"); }

std::string shown(const std::string& text) { return printable(text.substr(0, 200)); }

std::vector<std::string> texts_of(const Array& array) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; !array.isNull() && i < array->size(); ++i) {
    const Poco::Dynamic::Var value = array->get(static_cast<unsigned>(i));
    texts.push_back(value.isString() ? value.extract<std::string>() : "?");
  }
  return texts;
}

std::vector<Object> objects_of(const Array& array) {
  std::vector<Object> objects;
  for (std::size_t i = 0; !array.isNull() && i < array->size(); ++i) {
    if (Object object = array->getObject(static_cast<unsigned>(i))) objects.push_back(object);
  }
  return objects;
}

void check_members(const Object& report, Faults& faults) {
  for (const char* name : {"interfaces", "routes", "nameservers", "groups", "environment", "processes", "writable",
                           "protected", "sockets", "devices", "mounts"}) {
    if (json_array(report, name).isNull()) faults.push_back(std::string("the box did not report its ") + name);
  }
  for (const char* name : {"interfaces", "nameservers", "processes", "writable", "protected", "devices", "mounts"}) {
    const Array list = json_array(report, name);
    if (list.isNull() || objects_of(list).size() == list->size()) continue;
    faults.push_back(std::string("the box's report of its ") + name + " cannot be read");
  }
  for (const char* name : {"reach", "capabilities", "limits"}) {
    if (json_object(report, name).isNull()) faults.push_back(std::string("the box did not report its ") + name);
  }
  if (json_boolean(report, "complete") != true) faults.push_back("the box's report is not complete");
}

void check_helper(const Object& report, Faults& faults) {
  if (const std::string code = text_of(report, "listener"); code != "ok") {
    faults.push_back("the helper cannot listen on 127.0.0.1:" + std::to_string(box_relay_port) + " in the box (" +
                     shown(code) + ")");
  }
  if (const std::string code = text_of(report, "filter"); code != "ok") {
    faults.push_back("the helper's system call filter could not be set (" + shown(code) + ")");
  }
  if (text_of(report, "vsock") == "ok") faults.push_back("the box can open a socket to the hypervisor (vsock)");
}

void check_no_network(const Object& report, Faults& faults) {
  for (const Object& interface : objects_of(json_array(report, "interfaces"))) {
    // The kernel's own tunnel devices are in every network namespace, down; the box cannot bring one up.
    if (text_of(interface, "name") == "lo" || json_boolean(interface, "up") == false) continue;
    faults.push_back("the box has the network interface " + shown(text_of(interface, "name")));
  }
  for (const std::string& route : texts_of(json_array(report, "routes"))) {
    faults.push_back("the box has a network route: " + shown(route));
  }
  const Object reach = json_object(report, "reach");
  for (const char* family : {"ipv4", "ipv6"}) {
    const std::string code = text_of(reach, family);
    if (code == "ok" || code == "?") faults.push_back(std::string("the box may reach the internet by ") + family);
  }
  for (const Object& server : objects_of(json_array(report, "nameservers"))) {
    if (text_of(server, "outcome") == "answer") {
      faults.push_back("the name server " + shown(text_of(server, "address")) + " answers the box");
    }
  }
}

// With a network of its own the box has an interface, and some engines leave a route: what counts is what it reaches.
void check_gateway_network(const Object& report, Faults& faults) {
  std::size_t interfaces = 0;
  for (const Object& interface : objects_of(json_array(report, "interfaces"))) {
    if (text_of(interface, "name") != "lo" && json_boolean(interface, "up") != false) ++interfaces;
  }
  if (interfaces > 1) faults.push_back("the box has more than the one network of its run");
  const Object tcp = json_object(report, "tcp");
  if (tcp.isNull()) faults.push_back("the box did not try to reach the internet");
  for (const char* family : {"ipv4", "ipv6"}) {
    const std::string code = tcp.isNull() ? "" : text_of(tcp, family);
    if (code == "ok" || code == "?") faults.push_back(std::string("the box reaches the internet by ") + family);
  }
  for (const Object& server : objects_of(json_array(report, "nameservers"))) {
    if (json_integer(server, "answers").value_or(0) > 0) {
      faults.push_back("the name server " + shown(text_of(server, "address")) +
                       " finds names of the internet for the box");
    }
  }
  if (json_array(report, "host_ports").isNull()) faults.push_back("the box did not try the host's other ports");
}

void check_privileges(const Object& report, const Plan& plan, Faults& faults) {
  const Object capabilities = json_object(report, "capabilities");
  for (const char* set : {"effective", "permitted", "inheritable", "bounding", "ambient"}) {
    const std::string value = text_of(capabilities, set);
    if (value.find_first_not_of('0') == std::string::npos) continue;
    faults.push_back(std::string("the box has ") + set + " capabilities (" + shown(value) + ")");
  }
  if (json_boolean(report, "no_new_privileges") != true) faults.push_back("a program in the box can gain privileges");
  const auto check_id = [&](const char* name, const char* words, std::int64_t wanted) {
    const std::optional<std::int64_t> id = json_integer(report, name);
    if (id == wanted) return;
    faults.push_back(std::string("the box runs as ") + words + " " + (id ? std::to_string(*id) : "?") + " instead of " +
                     std::to_string(wanted));
  };
  check_id("uid", "user", plan.user.uid);
  check_id("gid", "group", plan.user.gid);
  const Array groups = json_array(report, "groups");
  for (std::size_t i = 0; plan.user.gid != 0 && !groups.isNull() && i < groups->size(); ++i) {
    const Poco::Dynamic::Var group = groups->get(static_cast<unsigned>(i));
    if (!group.isInteger() || group.convert<Poco::Int64>() == 0)
      faults.push_back("the box's user is in the group 0 (root)");
  }
}

void check_processes(const Object& report, const Secret& key, Faults& faults) {
  const std::optional<std::int64_t> own = json_integer(report, "pid");
  if (own != 1) faults.push_back("the helper is not the first process of the box");
  for (const Object& process : objects_of(json_array(report, "processes"))) {
    const std::vector<std::string> arguments = texts_of(json_array(process, "arguments"));
    if (json_integer(process, "pid") != own) {
      faults.push_back("another process is in the box: " + shown(arguments.empty() ? "?" : arguments.front()));
    }
    for (const std::string& argument : arguments) {
      if (holds_piece_of(argument, key)) {
        faults.push_back("an argument of a process in the box holds the real key, or a piece of it");
        break;
      }
    }
  }
}

void check_environment(const Object& report, const Plan& plan, const Secret& key, Faults& faults) {
  std::set<std::string> names;
  for (const std::string& variable : texts_of(json_array(report, "environment"))) {
    const std::string name = variable.substr(0, variable.find('='));
    names.insert(name);
    if (holds_piece_of(variable, key)) {
      faults.push_back("the variable " + shown(name) + " in the box holds the real key, or a piece of it");
    }
  }
  for (const Variable& variable : plan.agent.variables) {
    if (!names.contains(variable.name)) faults.push_back("the variable " + variable.name + " did not reach the box");
  }
}

void check_writable(const Object& report, const Plan& plan, Faults& faults) {
  for (const Object& entry : objects_of(json_array(report, "writable"))) {
    if (text_of(entry, "path") != box_workspace) continue;
    const std::string code = text_of(entry, "outcome");
    if (plan.workspace.mode == WorkspaceMode::ro) {
      if (code == "ok" || code == "?")
        faults.push_back("the agent could write the workspace, which is to be read-only");
      return;
    }
    if (code == "ok") return;
    faults.push_back("the agent could not write the workspace (" + shown(code) + ")" +
                     (code == "EACCES" ? ": it belongs to another user" : ""));
    return;
  }
  faults.push_back("the box did not try to write the workspace");
}

void check_protected_path(const Object& entry, const std::string& path, Faults& faults) {
  const std::string kind = text_of(entry, "kind");
  if (kind == "link") faults.push_back("the protected path " + path + " is a symbolic link in the box");
  const std::string write = text_of(entry, "write");
  if (write == "ok" || write == "?") {
    faults.push_back("the agent could " + std::string(kind == "missing" ? "create" : "write") + " the protected path " +
                     path);
  }
  const std::string rename = text_of(entry, "rename");
  if (rename == "ok" || rename == "?") faults.push_back("the agent could move the protected path " + path + " away");
  const Array parents = json_array(entry, "parents");
  if (parents.isNull()) faults.push_back("the box did not try the parents of the protected path " + path);
  for (const Object& parent : objects_of(parents)) {
    const std::string code = text_of(parent, "rename");
    if (code != "ok" && code != "?" && text_of(parent, "kind") != "link") continue;
    faults.push_back("the agent could move " + shown(text_of(parent, "path")) +
                     " away, and with it the protected path " + path);
  }
}

void check_protected(const Object& report, const Plan& plan, Faults& faults) {
  std::map<std::string, Object> found;
  for (const Object& entry : objects_of(json_array(report, "protected"))) found[text_of(entry, "path")] = entry;
  for (std::string path : plan.workspace.protected_paths) {
    if (path.ends_with('/')) path.pop_back();
    const auto entry = found.find(std::string(box_workspace) + "/" + path);
    if (entry == found.end()) {
      faults.push_back("the box did not try the protected path " + path);
    } else {
      check_protected_path(entry->second, path, faults);
    }
  }
}

void check_root(const Object& report, const Plan& plan, Faults& faults) {
  if (plan.read_only_root && json_boolean(report, "root_read_only") != true) {
    faults.push_back("the box can write its root file system, which is to be read-only");
  }
}

// A limit that cannot be read inside (a virtual machine, gVisor) is no fault; one that is not the plan's is.
void check_limits(const Object& report, const PlannedLimits& limits, Faults& faults) {
  const Object found = json_object(report, "limits");
  const auto check = [&](const char* name, const char* words, std::int64_t most) {
    const std::optional<std::int64_t> value = json_integer(found, name);
    if (most <= 0 || !value || (*value >= 0 && *value <= most)) return;
    faults.push_back(std::string("the box's ") + words + " is " +
                     (*value < 0 ? "not limited" : std::to_string(*value)) + " instead of " + std::to_string(most));
  };
  check("memory", "memory in bytes", limits.memory_bytes);
  check("pids", "number of processes", limits.pids);
  check("cpu_thousandths", "processor time in thousandths", std::llround(limits.cpus * 1000));
}

void check_devices(const Object& report, Faults& faults) {
  static const std::set<std::string> dangerous = {"mem", "kmem", "port", "kmsg", "kvm", "vsock", "uinput", "snapshot"};
  for (const Object& device : objects_of(json_array(report, "devices"))) {
    const std::string name = text_of(device, "name");
    if (text_of(device, "type") == "block" || dangerous.contains(name) || name.starts_with("vhost")) {
      faults.push_back("the box has the device /dev/" + shown(name));
    }
  }
  for (const std::string& path : texts_of(json_array(report, "sockets"))) {
    faults.push_back("the box has an engine's socket: " + shown(path));
  }
}

void check_mounts(const Object& report, const Plan& plan, Faults& faults) {
  std::vector<ReportedMount> mounts;
  for (const Object& mount : objects_of(json_array(report, "mounts"))) {
    mounts.push_back({text_of(mount, "path"), text_of(mount, "root"), text_of(mount, "device"),
                      text_of(mount, "options"), text_of(mount, "type")});
  }
  check_reported_mounts(mounts, plan, faults);
}

}  // namespace

Plan expected_of(const Plan& plan, const BoxNames& names) {
  Plan expected = plan;
  if (names.without_limits || names.engine.virtual_machine) expected.limits = {};
  expected.read_only_root = has_read_only_root(plan, names.engine);
  return expected;
}

std::vector<std::string> check_box_report(std::string_view report, const Plan& plan, const Secret& key) {
  std::string why;
  const Object facts = parse_json_object(report, &why);
  if (facts.isNull()) return {"the box's report cannot be read: " + shown(why)};
  if (json_integer(facts, "report") != 1) return {"the box's report has a format that this sanduk does not know"};
  Faults faults;
  check_members(facts, faults);
  check_helper(facts, faults);
  if (plan.mode == NetworkMode::sealed && plan.transport == Transport::gateway) {
    check_gateway_network(facts, faults);
  } else if (plan.mode == NetworkMode::sealed) {
    check_no_network(facts, faults);
  }
  if (plan.strict_network) {
    for (const std::string& port : reachable_host_ports(report)) {
      faults.push_back("the box reaches port " + port + " of this host, and network.strict forbids it");
    }
  }
  check_privileges(facts, plan, faults);
  check_processes(facts, key, faults);
  check_environment(facts, plan, plan.mode == NetworkMode::open ? Secret() : key.copy(), faults);
  check_writable(facts, plan, faults);
  check_protected(facts, plan, faults);
  check_limits(facts, plan.limits, faults);
  check_root(facts, plan, faults);
  check_devices(facts, faults);
  check_mounts(facts, plan, faults);
  return faults;
}

}  // namespace sanduk
