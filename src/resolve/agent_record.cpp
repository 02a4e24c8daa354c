#include "resolve/agent_record.h"

#include <algorithm>
#include <set>

#include "agents/agent_reader.h"
#include "base/text.h"
#include "diagnostics/mask.h"
#include "resolve/placeholders.h"

namespace sanduk {
namespace {

using Names = std::vector<std::string>;

bool holds(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Check {
 public:
  Check(const AgentRecord& agent, Diagnostics& problems) : agent_(agent), problems_(problems) {
    for (const auto& [protocol, words] : agent.words) {
      for (const auto& [word, item] : *words) words_.insert(word);
    }
  }

  void run() {
    one_of("reader", *agent_.reader, agent_.reader.origin.span, "unknown-reader", agent_reader_formats());
    for (const ListItem& protocol : *agent_.protocols) {
      one_of("protocols", protocol.text, protocol.span, "bad-value", protocol_names());
    }
    const Names endpoint = {"relay", "api_prefix", "api_root"};
    const Names common = with(endpoint, {"base_url", "key_variable", "model", "documents"});
    for (const ListItem& word : *agent_.argv) text("argv", word.text, word.span, with(common, {"task", "settings"}));
    for (const auto& [setting, list] : *agent_.argv_with) {
      for (const ListItem& word : list) text("argv_with." + setting, word.text, word.span, with(common, {setting}));
    }
    text("input", *agent_.input, agent_.input.origin.span, with(common, {"task"}));
    text("endpoint.base_url", *agent_.base_url, agent_.base_url.origin.span, endpoint);
    text("endpoint.base_url_variable", *agent_.base_url_variable, agent_.base_url_variable.origin.span, {});
    text("endpoint.key_variable", *agent_.key_variable, agent_.key_variable.origin.span, {});
    for (const auto& [name, item] : *agent_.variables) {
      text("variables." + name, item.text, item.origin.span, with(common, {"token"}));
    }
    for (const auto& [name, item] : *agent_.documents) {
      text("documents." + name, item.text, item.origin.span, common);
      document_name(name, item);
    }
    for (const auto& [protocol, words] : agent_.words) {
      for (const auto& [word, item] : *words)
        text("protocol." + protocol + "." + word, item.text, item.origin.span, endpoint);
    }
    task_is_passed();
  }

 private:
  static Names with(Names names, const Names& more) {
    names.insert(names.end(), more.begin(), more.end());
    return names;
  }

  void one_of(const std::string& key, const std::string& value, const Span& span, const std::string& code,
              const Names& known) {
    if (holds(known, value)) return;
    const std::optional<std::string> near = closest(value, known);
    problems_.add(error(code, "`" + key + "`: there is no `" + masked(value) + "`")
                      .at(span)
                      .with_help((near ? "did you mean `" + *near + "`? " : "") + "known: " + join(known, ", ")));
  }

  void text(const std::string& key, const std::string& value, const Span& span, const Names& known) {
    for (const std::string& name : placeholders_in(value)) {
      if (holds(known, name)) continue;
      if (words_.contains(name)) {
        word_of_each_protocol(key, name, span);
        continue;
      }
      Names all = with(known, {words_.begin(), words_.end()});
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      const std::optional<std::string> near = closest(name, all);
      problems_.add(
          error("unknown-placeholder", "`" + key + "`: nothing is known for {" + name + "} here")
              .at(span)
              .with_help((near ? "did you mean {" + *near + "}? " : "") + "known here: {" + join(all, "} {") + "}"));
    }
  }

  void word_of_each_protocol(const std::string& key, const std::string& word, const Span& span) {
    for (const ListItem& protocol : *agent_.protocols) {
      const auto words = agent_.words.find(protocol.text);
      if (words != agent_.words.end() && words->second->contains(word)) continue;
      problems_.add(error("unknown-placeholder",
                          "`" + key + "`: {" + word + "} has no value for the protocol " + masked(protocol.text))
                        .at(span)
                        .with_help("write " + word + " = \"…\" in [protocol." + masked(protocol.text) + "]"));
    }
  }

  void document_name(const std::string& name, const MapItem& item) {
    const bool plain = !name.empty() && name[0] != '.' && std::all_of(name.begin(), name.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    });
    if (plain) return;
    problems_.add(error("bad-value", "`documents`: `" + masked(name) + "` is not a plain file name")
                      .at(item.key_span.known() ? item.key_span : item.origin.span)
                      .with_help("write letters, digits, dots, dashes and underscores"));
  }

  // The agent `command` has no argv: the profile gives it, and is judged there.
  void task_is_passed() {
    if (agent_.argv->empty()) return;
    bool passed = holds(placeholders_in(*agent_.input), "task");
    for (const ListItem& word : *agent_.argv) passed = passed || holds(placeholders_in(word.text), "task");
    if (passed) return;
    problems_.add(
        error("task-not-passed", "neither `argv` nor `input` holds {task}: the agent would never get its task")
            .at(agent_.argv.origin.span)
            .with_help("put \"{task}\" where it takes a prompt, or write input = \"{task}\""));
  }

  const AgentRecord& agent_;
  Diagnostics& problems_;
  std::set<std::string> words_;
};

}  // namespace

void check_agent_record(const AgentRecord& agent, Diagnostics& problems) { Check(agent, problems).run(); }

}  // namespace sanduk
