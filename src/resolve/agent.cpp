// Who works: the task, the command line, the variables.
#include <algorithm>

#include "base/text.h"
#include "diagnostics/mask.h"
#include "plan/plan_json.h"
#include "resolve/paths.h"
#include "resolve/resolution.h"

namespace sanduk {
namespace {

bool is_variable_name(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

// The place of the name in NAME = value, where the name is at fault.
Origin named(const MapItem& item) {
  Origin origin = item.origin;
  if (item.key_span.known()) origin.span = item.key_span;
  return origin;
}

bool is_custom_command(const Resolution& r) { return r.agent && r.agent->argv->empty(); }

// The protocol that agent and provider have in common, in the agent's order.
void check_protocols(Resolution& r) {
  if (!r.provider) return;
  const std::vector<std::string> spoken = texts(*r.agent->protocols);
  std::vector<std::string> offered;
  for (const Route& route : r.plan.relay.routes) {
    if (route.protocol != Protocol::none) offered.push_back(protocol_name(route.protocol));
  }
  const bool shared = std::any_of(spoken.begin(), spoken.end(), [&](const std::string& protocol) {
    return std::find(offered.begin(), offered.end(), protocol) != offered.end();
  });
  const bool routes_are_whole = r.plan.relay.routes.size() == r.provider->routes->size();  // else that was said already
  if (shared || spoken.empty() || r.profile.allow.paths.is_set() || !routes_are_whole) return;
  std::vector<std::string> others;
  for (const std::string& name : r.catalog.names("providers")) {
    Diagnostics ignored;
    const std::optional<ProviderRecord> provider = r.catalog.provider(name, {}, ignored);
    if (!provider) continue;
    const bool fits = std::any_of(provider->routes->begin(), provider->routes->end(), [&](const ListItem& route) {
      return std::any_of(spoken.begin(), spoken.end(),
                         [&](const std::string& protocol) { return route.text.ends_with(" " + protocol); });
    });
    if (fits) others.push_back(name);
  }
  r.fault("no-shared-protocol",
          "the agent `" + *r.profile.agent.name + "` speaks " + join(spoken, ", ") + ", the provider `" +
              *r.profile.provider.name + "` " + join(offered, ", "),
          r.profile.agent.name.origin)
      .at(r.said_at(r.profile.provider.name.origin), "the provider is set here")
      .with_help("providers for this agent: " + join(others, ", "));
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
  if (a.model.is_set()) {
    given.push_back({"model", *a.model, a.model.origin});
  } else if (*r.agent->model_required) {
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

void refuse_setting(Resolution& r, const AgentSetting& setting) {
  const bool is_option = setting.name != "model" && setting.name != "effort" && setting.name != "max_turns";
  std::vector<std::string> known;
  for (const auto& [name, words] : *r.agent->argv_with) known.push_back(name);
  const std::optional<std::string> near = closest(setting.name, known);
  r.fault("unsupported-setting",
          "the agent `" + *r.profile.agent.name + "` has nothing for `" + (is_option ? "agent.options." : "agent.") +
              setting.name + "`",
          setting.origin)
      .at(r.said_at(r.profile.agent.name.origin), "the agent is set here")
      .with_help(near            ? "did you mean `" + *near + "`?"
                 : known.empty() ? "leave it out; put the words into agent.command"
                                 : "it has: " + join(known, ", "));
}

void resolve_argv(Resolution& r) {
  const Profile::Agent& a = r.profile.agent;
  std::vector<std::string>& argv = r.plan.agent.argv;
  if (is_custom_command(r)) {
    if (!a.command.is_set() || a.command->empty()) {
      r.fault("missing-key", "the agent `" + *a.name + "` needs `agent.command`, the program and its words",
              a.name.origin)
          .with_help("write command = [\"sh\", \"-c\", \"…\"] in [agent]");
      return;
    }
    argv = texts(*a.command);
    for (std::string& word : argv) word = replace_all(word, "{model}", *a.model);
  } else {
    if (a.command.is_set()) {
      r.fault("no-effect", "`agent.command` has no effect: the agent `" + *a.name + "` has a command of its own",
              a.command.origin)
          .at(r.said_at(a.name.origin), "the agent is set here")
          .with_help("use agent.name = \"command\", or agent.args for more words");
    }
    argv = texts(*r.agent->argv);
  }
  for (const AgentSetting& setting : given_settings(r)) {
    const auto words = r.agent->argv_with->find(setting.name);
    if (words == r.agent->argv_with->end()) {
      if (!(setting.name == "model" && is_custom_command(r))) refuse_setting(r, setting);
      continue;
    }
    for (const ListItem& word : words->second)
      argv.push_back(replace_all(word.text, "{" + setting.name + "}", setting.value));
  }
  if (*r.agent->model_required && !a.model.is_set() && r.agent->default_model->empty() &&
      (!r.provider || r.provider->default_model->empty())) {
    r.fault("missing-key", "the agent `" + *a.name + "` needs `agent.model`", a.name.origin)
        .with_help("name the model, such as model = \"…\" in [agent]");
  }
  for (const ListItem& word : *a.args) argv.push_back(word.text);
  bool uses_task = false;
  for (std::string& word : argv) {
    uses_task = uses_task || word.find("{task}") != std::string::npos;
    word = replace_all(word, "{task}", r.plan.task);
  }
  if (!uses_task && (r.profile.task.is_set() || r.profile.task_file.is_set())) {
    r.fault("no-effect", "the task has no effect: nothing in the agent's command is {task}",
            r.profile.task.is_set() ? r.profile.task.origin : r.profile.task_file.origin)
        .at(r.said_at(a.command.origin), "the command is here")
        .with_help("put \"{task}\" where the task belongs, or leave the task out");
  }
}

// Where there is no relay, {relay} is the provider itself.
std::string without_relay(const Resolution& r, const std::string& text) {
  if (r.plan.mode != NetworkMode::open || !r.plan.relay.upstream) return text;
  const Upstream& upstream = *r.plan.relay.upstream;
  const std::string host = upstream.host.find(':') == std::string::npos ? upstream.host : "[" + upstream.host + "]";
  const bool usual = upstream.port == (upstream.scheme == "https" ? 443 : 80);
  return replace_all(text, "{relay}",
                     upstream.scheme + "://" + host + (usual ? "" : ":" + std::to_string(upstream.port)));
}

// {token} must not stand in an argument: those are readable for everybody on the host.
void check_token_in_argv(Resolution& r) {
  for (const std::string& word : r.plan.agent.argv) {
    if (word == r.plan.task || word.find("{token}") == std::string::npos) continue;
    const Setting<TextList>& said_in =
        r.profile.agent.command.is_set() ? r.profile.agent.command : r.profile.agent.args;
    r.fault("token-in-argv", "the run token cannot stand in the agent's command line, which others can read",
            said_in.origin)
        .with_help("let the program read it from the variable " + r.plan.agent.token_variable);
    return;
  }
}

void resolve_variables(Resolution& r) {
  const Profile::Agent& a = r.profile.agent;
  const auto own_name = [&](const Setting<std::string>& own, const Setting<std::string>& agents,
                            const std::string& providers) {
    if (own.is_set()) return *own;
    return agents->empty() ? providers : *agents;
  };
  const std::string url_variable =
      own_name(a.base_url_variable, r.agent->base_url_variable, r.provider ? *r.provider->base_url_variable : "");
  std::string key_variable =
      own_name(a.key_variable, r.agent->key_variable, r.provider ? *r.provider->key_variable : "");
  if (key_variable.empty()) key_variable = "ANTHROPIC_API_KEY";
  for (const auto& [setting, name] : {std::pair{&a.base_url_variable, url_variable}, {&a.key_variable, key_variable}}) {
    if (setting->is_set() && !is_variable_name(name)) {
      r.fault("bad-value", "`" + masked(name) + "` is not the name of a variable", setting->origin)
          .with_help("write letters, digits and underscores");
    }
  }
  std::string base_url = !r.agent->base_url->empty() ? *r.agent->base_url
                         : r.provider                ? *r.provider->base_url
                                                     : "{relay}";
  if (r.provider) base_url = replace_all(base_url, "{api_prefix}", *r.provider->api_prefix);
  base_url = r.plan.mode == NetworkMode::open && a.base_url.is_set() ? *a.base_url : without_relay(r, base_url);

  std::map<std::string, std::string> variables;
  for (const auto& [name, item] : *r.agent->variables) variables[name] = item.text;
  for (const auto& [name, item] : *a.env) {
    if (!is_variable_name(name)) {
      r.fault("bad-value", "`agent.env`: `" + masked(name) + "` is not the name of a variable", named(item))
          .with_help("write letters, digits and underscores");
    } else if (name == url_variable || name == key_variable) {
      r.fault("reserved-variable", "`" + name + "` is how the agent reaches the relay", named(item))
          .with_help("leave it out; provider.upstream chooses another server, provider.key another key");
    } else if (is_credential_name(name) && !item.text.empty()) {
      Diagnostic problem =
          error("literal-key", "`agent.env." + name + "` looks like a credential, and the box must not hold one");
      Span place = r.place(item.origin);
      place.sensitive = true;
      place.length = std::max<std::size_t>(place.length, 1);
      r.problems.add(problem.at(place).with_help("keys stay on the host: provider.key = \"env:" + name + "\""));
    } else {
      variables[name] = without_relay(r, item.text);
    }
  }
  variables[url_variable] = base_url;
  variables[key_variable] = "{token}";
  for (const auto& [name, value] : variables) {
    if (!name.empty()) r.plan.agent.variables.push_back({name, value});
  }
  r.plan.agent.token_variable = key_variable;
}

}  // namespace

void resolve_task(Resolution& r) {
  const Profile& p = r.profile;
  if (p.task.is_set() && p.task_file.is_set()) {
    // A base or the file may give one and the command line the other: the later layer says what is meant.
    const bool same_layer = p.task.origin.layer == p.task_file.origin.layer;
    if (same_layer) {
      r.fault("task-twice", "there is a `task` and a `task_file`", p.task.origin)
          .at(r.said_at(p.task_file.origin), "and here")
          .with_help("keep one of the two");
      return;
    }
  }
  const bool from_file = p.task_file.is_set() && (!p.task.is_set() || p.task_file.origin.layer > p.task.origin.layer);
  std::string task = *p.task;
  if (from_file) {
    const PathFact& fact = fact_of(r.facts, absolute_path(p.task_file->text, p.task_file.origin, p, r.facts.home));
    if (!fact.problem.empty()) {
      r.fault("unreadable-file", fact.problem, p.task_file.origin)
          .with_help("the path is relative to the file that says it");
      return;
    }
    task = fact.text;
  }
  const bool needed = r.agent && !is_custom_command(r);
  if (trim(task).empty()) {
    if (p.task.is_set() || p.task_file.is_set()) {
      r.fault("empty-task", "the task is empty", from_file ? p.task_file.origin : p.task.origin)
          .with_help("say what the agent is to do");
    } else if (needed) {
      r.problems.add(error("missing-key", "there is no task")
                         .at(p.where)
                         .with_help("write task = \"…\" or task_file = \"FILE\" at the top level"));
    }
    return;
  }
  if (!is_valid_utf8(task) || task.find('\0') != std::string::npos) {
    r.fault("bad-value", "the task is not text in UTF-8", from_file ? p.task_file.origin : p.task.origin)
        .with_help("save it as UTF-8, without NUL bytes");
    return;
  }
  while (task.ends_with('\n')) task.pop_back();
  if (*p.agent.report_instruction && !r.plan.workspace.report.empty()) {
    task += "\n\nWhen you are done, write your report to /work/" + r.plan.workspace.report + ".";
  }
  constexpr std::size_t longest_argument = 128 * 1024 - 1;  // MAX_ARG_STRLEN of Linux, include/uapi/linux/binfmts.h
  if (task.size() >= longest_argument) {
    r.fault("task-too-long", "the task is longer than 128 KiB, the most that a program can be given in one word",
            from_file ? p.task_file.origin : p.task.origin)
        .with_help("put the long part into a file in the workspace, and name it in the task");
  }
  r.plan.task = task;
}

void resolve_agent(Resolution& r) {
  if (!r.agent) return;
  r.plan.agent.name = *r.agent->name;
  r.plan.agent.reader = *r.agent->reader;
  check_protocols(r);
  resolve_argv(r);
  for (std::string& word : r.plan.agent.argv) {
    if (word != r.plan.task) word = without_relay(r, word);
  }
  resolve_variables(r);
  check_token_in_argv(r);
}

}  // namespace sanduk
