// The words for the network of a run, and the answers.
#include <Poco/Dynamic/Var.h>
#include <Poco/JSON/Parser.h>

#include "base/json.h"
#include "base/text.h"
#include "container/apple_answers.h"
#include "container/box.h"
#include "diagnostics/diagnostic.h"

namespace sanduk {
namespace {

using Var = Poco::Dynamic::Var;

// Follows "0.IPAM.Config.0.Gateway"; empty where there is no such place.
Var at_path(const Var& whole, const std::string& path) {
  Var at = whole;
  for (const std::string& part : split(path, '.')) {
    if (at.type() == typeid(Poco::JSON::Array::Ptr)) {
      const auto index = parse_decimal(part);
      const auto array = at.extract<Poco::JSON::Array::Ptr>();
      if (!index || static_cast<std::size_t>(*index) >= array->size()) return {};
      at = array->get(static_cast<unsigned>(*index));
    } else if (at.type() == typeid(Poco::JSON::Object::Ptr)) {
      at = at.extract<Poco::JSON::Object::Ptr>()->get(part);
    } else {
      return {};
    }
  }
  return at;
}

void add_labels(std::vector<std::string>& argv, const BoxNames& names) {
  for (const auto& [name, value] : {std::pair{label_run, names.run_id},
                                    {label_owner_pid, std::to_string(names.owner_pid)},
                                    {label_owner_start, names.owner_start_time},
                                    {label_state, names.state_directory}}) {
    argv.insert(argv.end(), {"--label", std::string(name) + "=" + value});
  }
}

}  // namespace

std::vector<std::string> create_network_command(const BoxNames& names, bool leads_out) {
  std::vector<std::string> argv = {names.engine.program, "network", "create"};
  if (!leads_out) argv.emplace_back("--internal");
  add_labels(argv, names);
  argv.push_back(names.network);
  return argv;
}

std::vector<std::string> inspect_network_command(const BoxNames& names) {
  return {names.engine.program, "network", "inspect", names.network};
}

std::vector<std::string> remove_network_command(const BoxNames& names) {
  return {names.engine.program, "network", names.engine.dialect == "apple" ? "delete" : "rm", names.network};
}

std::vector<std::string> list_networks_command(const PlannedEngine& engine) {
  if (engine.dialect == "apple") return {engine.program, "network", "list", "--quiet"};
  return {engine.program, "network", "ls", "--filter", "label=" + std::string(label_run), "--format", "{{.Name}}"};
}

std::vector<std::string> inspect_networks_command(const PlannedEngine& engine, const std::vector<std::string>& names) {
  std::vector<std::string> argv = {engine.program, "network", "inspect"};
  argv.insert(argv.end(), names.begin(), names.end());
  return argv;
}

std::vector<std::string> read_network_names(std::string_view output, const PlannedEngine& engine) {
  std::vector<std::string> names;
  for (const std::string& line : split(output, '\n')) {
    const std::string name(trim(line));
    // One engine cannot be asked for a label; our networks bear the names of our runs.
    if (!name.empty() && (engine.dialect != "apple" || name.starts_with("sanduk-"))) names.push_back(name);
  }
  return names;
}

std::vector<ListedBox> read_networks(std::string_view answer) {
  std::vector<ListedBox> networks;
  try {
    Poco::JSON::Parser parser;
    const auto list = parser.parse(std::string(answer)).extract<Poco::JSON::Array::Ptr>();
    for (std::size_t i = 0; i < list->size(); ++i) {
      const auto network = list->getObject(static_cast<unsigned>(i));
      if (network.isNull()) continue;
      const auto inner = json_object(network, "configuration");
      std::string name;
      for (const char* member : {"Name", "name", "id"}) {
        if (name.empty()) name = json_text(network, member).value_or("");
      }
      Poco::JSON::Object::Ptr labels;
      for (const auto& [object, member] : {std::pair{network, "Labels"}, {network, "labels"}, {inner, "labels"}}) {
        if (labels.isNull() && !object.isNull()) labels = json_object(object, member);
      }
      if (const std::optional<ListedBox> ours = from_labels(name, "", labels)) networks.push_back(*ours);
    }
  } catch (const Poco::Exception&) {
    throw RunError(Failure::host, error("engine-answer", "what the engine says of its networks cannot be read"));
  }
  return networks;
}

std::string holder_name(const BoxNames& names) { return names.run_id + "-hold"; }

std::vector<std::string> start_holder_command(const BoxNames& names) {
  std::vector<std::string> argv = {names.engine.program, "run", "--detach", "--name", holder_name(names)};
  argv.insert(argv.end(), names.engine.create_flags.begin(), names.engine.create_flags.end());
  add_labels(argv, names);
  argv.insert(argv.end(), {"--network", names.network, "--cap-drop", "ALL"});
  if (names.engine.dialect != "apple") argv.insert(argv.end(), {"--security-opt", "no-new-privileges"});
  argv.insert(argv.end(), {"--user", "65534:65534", "--read-only", "--mount",
                           "type=bind,source=" + names.helper_directory + ",target=/sanduk,readonly", "--entrypoint",
                           std::string(box_helper), names.image, "--hold"});
  return argv;
}

std::string read_gateway(std::string_view answer, const PlannedEngine& engine, bool leads_out) {
  std::string gateway;
  bool internal = engine.internal_at.empty();
  try {
    Poco::JSON::Parser parser;
    const Var whole = parser.parse(std::string(answer));
    const Var found = at_path(whole, engine.gateway_at);
    if (found.isString()) gateway = found.extract<std::string>();
    const Var says_internal = at_path(whole, engine.internal_at);
    internal = internal || (says_internal.isBoolean() && says_internal.extract<bool>());
  } catch (const Poco::Exception&) {
    gateway.clear();
  }
  if (gateway.empty()) {
    throw RunError(Failure::host, error("engine-answer", engine.name + " does not say the gateway of the run's network")
                                      .note("it was looked for at " + engine.gateway_at));
  }
  if (!leads_out && !internal) {
    throw RunError(Failure::host, error("network-routable", "the network that " + engine.name +
                                                                " made for the run leads out, although it is not to"));
  }
  return gateway;
}

std::vector<std::string> reachable_host_ports(std::string_view report) {
  std::vector<std::string> ports;
  const Poco::JSON::Object::Ptr facts = parse_json_object(report);
  const Poco::JSON::Array::Ptr list = facts.isNull() ? nullptr : json_array(facts, "host_ports");
  for (std::size_t i = 0; !list.isNull() && i < list->size(); ++i) {
    const Poco::JSON::Object::Ptr entry = list->getObject(static_cast<unsigned>(i));
    if (entry.isNull() || json_text(entry, "outcome") != "ok") continue;
    ports.push_back(std::to_string(json_integer(entry, "port").value_or(0)));
  }
  return ports;
}

}  // namespace sanduk
