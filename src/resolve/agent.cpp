// Who works: the protocol, the command line, what stands ready in the box for it. The variables: agent_variables.cpp.
#include <algorithm>

#include "base/text.h"
#include "diagnostics/mask.h"
#include "plan/plan_json.h"
#include "resolve/placeholders.h"
#include "resolve/resolution.h"

namespace sanduk {
namespace {

// The place of the name in NAME = value, where the name is at fault.
Origin named(const MapItem& item) {
  Origin origin = item.origin;
  if (item.key_span.known()) origin.span = item.key_span;
  return origin;
}

bool is_custom_command(const Resolution& r) { return r.agent->argv->empty(); }

bool holds(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::vector<std::string> protocols_of(const ProviderRecord& provider) {
  std::vector<std::string> offered;
  for (const ListItem& route : *provider.routes) {
    const std::string protocol = route.text.substr(route.text.rfind(' ') + 1);
    if (protocol_of(protocol) && protocol != "none" && !holds(offered, protocol)) offered.push_back(protocol);
  }
  return offered;
}

// The first that both speak, in the agent's order.
std::optional<std::string> shared_protocol(const AgentRecord& agent, const std::vector<std::string>& offered) {
  for (const ListItem& spoken : *agent.protocols) {
    if (holds(offered, spoken.text)) return spoken.text;
  }
  return std::nullopt;
}

void no_shared_protocol(Resolution& r, const std::vector<std::string>& offered) {
  std::vector<std::string> providers;
  for (const std::string& name : r.catalog.names("providers")) {
    Diagnostics ignored;
    const std::optional<ProviderRecord> provider = r.catalog.provider(name, {}, ignored);
    if (provider && shared_protocol(*r.agent, protocols_of(*provider))) providers.push_back(name);
  }
  std::vector<std::string> agents;
  for (const std::string& name : r.catalog.names("agents")) {
    Diagnostics ignored;
    const std::optional<AgentRecord> agent = r.catalog.agent(name, {}, ignored);
    if (agent && shared_protocol(*agent, offered)) agents.push_back(name);
  }
  r.fault("no-shared-protocol",
          "the agent `" + *r.profile.agent.name + "` speaks " + join(texts(*r.agent->protocols), ", ") +
              ", the provider `" + *r.profile.provider.name + "` " + join(offered, ", "),
          r.profile.agent.name.origin)
      .at(r.said_at(r.profile.provider.name.origin), "the provider is set here")
      .note("agents for this provider: " + join(agents, ", "))
      .with_help("providers for this agent: " + join(providers, ", "));
}

// The protocol that agent and provider have in common; by the whole provider where paths were narrowed by hand.
std::string choose_protocol(Resolution& r) {
  if (!r.provider || r.agent->protocols->empty()) return "";
  std::vector<std::string> allowed;
  for (const Route& route : r.plan.relay.routes) {
    if (route.protocol != Protocol::none) allowed.push_back(protocol_name(route.protocol));
  }
  const bool routes_are_whole = r.plan.relay.routes.size() == r.provider->routes->size();  // else that was said already
  const std::vector<std::string> offered = protocols_of(*r.provider);
  std::optional<std::string> shared = shared_protocol(*r.agent, allowed);
  if (!shared && !r.profile.allow.paths.is_set() && routes_are_whole) no_shared_protocol(r, offered);
  if (!shared) shared = shared_protocol(*r.agent, offered);
  return shared.value_or(r.agent->protocols->front().text);
}

// A setting of the agent that its descriptor must know.
struct AgentSetting {
  std::string name;
  std::string value;
  Origin origin;
};

std::vector<AgentSetting> given_settings(const Resolution& r) {
  const Profile::Agent& a = r.profile.agent;
  std::vector<AgentSetting> given;
  const bool needs_model = holds(texts(*r.agent->needs), "model");
  if (a.model.is_set()) {
    given.push_back({"model", *a.model, a.model.origin});
  } else if (needs_model) {
    const std::string fallback = !r.agent->default_model->empty() ? *r.agent->default_model
                                 : r.provider                     ? *r.provider->default_model
                                                                  : "";
    if (!fallback.empty()) given.push_back({"model", fallback, a.model.origin});
  }
  if (a.effort.is_set()) given.push_back({"effort", *a.effort, a.effort.origin});
  if (a.max_turns.is_set()) given.push_back({"max_turns", std::to_string(*a.max_turns), a.max_turns.origin});
  for (const auto& [name, item] : *a.options) {
    if (item.text != "false") given.push_back({name, item.text, named(item)});
  }
  return given;
}

std::string key_of(const std::string& setting) {
  const bool is_option = setting != "model" && setting != "effort" && setting != "max_turns";
  return (is_option ? "agent.options." : "agent.") + setting;
}

void check_needs(Resolution& r, const std::vector<AgentSetting>& given) {
  for (const ListItem& need : *r.agent->needs) {
    const bool there =
        std::any_of(given.begin(), given.end(), [&](const AgentSetting& setting) { return setting.name == need.text; });
    if (there) continue;
    const std::string key = key_of(need.text);
    r.fault("missing-key", "the agent `" + *r.profile.agent.name + "` needs `" + key + "`", r.profile.agent.name.origin)
        .with_help(need.text == "model" ? "name the model, such as model = \"…\" in [agent]"
                                        : "write " + need.text + " = \"…\" in [" + key.substr(0, key.rfind('.')) + "]");
  }
}

void refuse_setting(Resolution& r, const AgentSetting& setting) {
  std::vector<std::string> known;
  for (const auto& [name, words] : *r.agent->argv_with) known.push_back(name);
  const auto why = r.agent->refuses->find(setting.name);
  const std::optional<std::string> near = closest(setting.name, known);
  r.fault("unsupported-setting",
          "the agent `" + *r.profile.agent.name + "` has nothing for `" + key_of(setting.name) + "`", setting.origin)
      .at(r.said_at(r.profile.agent.name.origin), "the agent is set here")
      .with_help(why != r.agent->refuses->end() ? why->second.text
                 : near                         ? "did you mean `" + *near + "`?"
                 : known.empty()                ? "leave it out; put the words into agent.command"
                                                : "it has: " + join(known, ", "));
}

// The words that settings add, then the profile's own.
std::vector<std::string> words_of_settings(Resolution& r, const std::vector<AgentSetting>& given) {
  std::vector<std::string> result;
  for (const AgentSetting& setting : given) {
    const auto words = r.agent->argv_with->find(setting.name);
    if (words != r.agent->argv_with->end()) {
      Values values = r.agent_values;
      values[setting.name] = setting.value;
      for (const ListItem& word : words->second) result.push_back(fill(word.text, values));
    } else if (setting.name != "model" || !(is_custom_command(r) || r.agent_uses_model)) {
      refuse_setting(r, setting);
    }
  }
  for (const ListItem& word : *r.profile.agent.args) result.push_back(word.text);
  return result;
}

// Whether the descriptor puts the model somewhere else than into words of its own group.
bool uses_model(const AgentRecord& agent) {
  const auto in = [](const std::string& text) { return holds(placeholders_in(text), "model"); };
  const auto in_map = [&](const TextMap& map) {
    return std::any_of(map.begin(), map.end(), [&](const auto& entry) { return in(entry.second.text); });
  };
  return in_map(*agent.variables) || in_map(*agent.documents) ||
         std::any_of(agent.argv->begin(), agent.argv->end(), [&](const ListItem& word) { return in(word.text); });
}

void custom_argv(Resolution& r) {
  const Profile::Agent& a = r.profile.agent;
  if (!a.command.is_set() || a.command->empty()) {
    r.fault("missing-key", "the agent `" + *a.name + "` needs `agent.command`, the program and its words",
            a.name.origin)
        .with_help("write command = [\"sh\", \"-c\", \"…\"] in [agent]");
    return;
  }
  std::vector<std::string>& argv = r.plan.agent.argv;
  argv = texts(*a.command);
  for (std::string& word : argv) word = replace_all(word, "{model}", *a.model);
  for (std::string& word : words_of_settings(r, given_settings(r))) argv.push_back(std::move(word));
}

void agents_argv(Resolution& r, const std::vector<AgentSetting>& given) {
  const Profile::Agent& a = r.profile.agent;
  if (a.command.is_set()) {
    r.fault("no-effect", "`agent.command` has no effect: the agent `" + *a.name + "` has a command of its own",
            a.command.origin)
        .at(r.said_at(a.name.origin), "the agent is set here")
        .with_help("use agent.name = \"command\", or agent.args for more words");
  }
  std::vector<std::string>& argv = r.plan.agent.argv;
  std::vector<std::string> more = words_of_settings(r, given);
  bool placed = false;
  for (const ListItem& word : *r.agent->argv) {
    if (word.text == "{settings}") {
      argv.insert(argv.end(), more.begin(), more.end());
      placed = true;
    } else {
      argv.push_back(fill(word.text, r.agent_values));
    }
  }
  if (!placed) argv.insert(argv.end(), more.begin(), more.end());
}

void pass_task(Resolution& r) {
  if (r.plan.agent.argv.empty()) return;  // that was said already
  bool uses_task = r.plan.agent.input.find("{task}") != std::string::npos;
  bool in_a_word = false;
  for (std::string& word : r.plan.agent.argv) {
    in_a_word = in_a_word || word.find("{task}") != std::string::npos;
    word = replace_all(word, "{task}", r.plan.task);
  }
  uses_task = uses_task || in_a_word;
  const Setting<std::string>& task = r.profile.task;
  const Origin& said = task.is_set() ? task.origin : r.profile.task_file.origin;
  if (!uses_task && (task.is_set() || r.profile.task_file.is_set())) {
    r.fault("no-effect", "the task has no effect: nothing in the agent's command is {task}", said)
        .at(r.said_at(r.profile.agent.command.origin), "the command is here")
        .with_help("put \"{task}\" where the task belongs, or leave the task out");
  }
  constexpr std::size_t longest_argument = 128 * 1024 - 1;  // MAX_ARG_STRLEN of Linux, include/uapi/linux/binfmts.h
  if (in_a_word && r.plan.task.size() >= longest_argument) {
    r.fault("task-too-long", "the task is longer than 128 KiB, the most that a program can be given in one word", said)
        .with_help("put the long part into a file in the workspace, and name it in the task");
  }
}

}  // namespace

void resolve_agent(Resolution& r) {
  if (!r.agent) return;
  PlannedAgent& agent = r.plan.agent;
  agent.name = *r.agent->name;
  agent.reader = *r.agent->reader;
  agent.input = *r.agent->input;
  const std::string protocol = choose_protocol(r);
  if (!is_custom_command(r)) agent.protocol = protocol_of(protocol).value_or(Protocol::none);

  const std::vector<AgentSetting> given = given_settings(r);
  r.agent_uses_model = uses_model(*r.agent);
  resolve_values(r, protocol, given.empty() || given.front().name != "model" ? "" : given.front().value);
  if (*r.profile.agent.stdin_task && !is_custom_command(r)) {
    r.fault("no-effect", "`agent.stdin` has no effect: the agent `" + agent.name + "` gets its task in its own way",
            r.profile.agent.stdin_task.origin)
        .with_help("leave it out; it is for agent.name = \"command\"");
  }
  if (is_custom_command(r)) {
    if (*r.profile.agent.stdin_task) agent.input = "{task}";
    custom_argv(r);
  } else {
    agents_argv(r, given);
  }
  check_needs(r, given);
  agent.input = fill(agent.input, r.agent_values);  // not the task: that can be long
  pass_task(r);
  for (std::string& word : agent.argv) {
    if (word != r.plan.task) word = without_relay(r, word);
  }
  for (const auto& [name, item] : *r.agent->documents) {
    agent.documents.push_back({name, without_relay(r, fill(item.text, r.agent_values))});
  }
  resolve_variables(r);
}

}  // namespace sanduk
