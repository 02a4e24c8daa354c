// Agents, providers and engines as records: what resources/*/*.toml and the user's own files say.
#pragma once

#include "config/field.h"

namespace sanduk {

// The wire protocols that descriptors can name, in a fixed order.
const std::vector<std::string>& protocol_names();

// A coding agent: how it is started headless, where it reads its endpoint from, how its output is read. Text may hold
// placeholders; resolve/agent_record.h says which, and checks them.
struct AgentRecord {
  Setting<std::string> name;
  Setting<std::string> summary;
  Setting<std::string> unproved;  // why no test of ours runs it; empty: one does
  Setting<TextList> protocols;    // what it speaks, preferred first
  Setting<std::string> reader;    // format of its standard output
  Setting<TextList> needs;        // settings that must have a value, such as "model"
  Setting<TextMap> refuses;       // setting -> why it has none, and what to do
  Setting<std::string> default_model;

  Setting<std::string> image_name;     // repository part of the tag that is built
  Setting<std::string> image_version;  // pinned version of the agent: the tag, and the build argument
  Setting<std::string> image_version_argument;
  Setting<TextMap> image_arguments;          // more build arguments
  Setting<std::string> image_containerfile;  // NAME of resources/images/Containerfile.NAME
  Setting<bool> image_read_only;             // it works although nothing of its image can be written …
  Setting<TextList> image_writable;          // … but these directories

  Setting<TextList> argv;      // {task} {model} … are filled in; the word "{settings}" is where argv_with goes
  Setting<ListMap> argv_with;  // setting -> words that are added when the setting has a value
  Setting<std::string> input;  // standard input; empty: none
  Setting<std::string> base_url_variable;
  Setting<std::string> base_url;  // what the variable is given: "{relay}" and what must follow it
  Setting<std::string> key_variable;
  Setting<TextMap> variables;  // fixed ones
  Setting<TextMap> documents;  // files that it reads, by name; they lie in {documents}, outside the workspace
  Setting<std::string> instructions_path;  // in the box: where it reads a user's standing instructions
  Setting<std::string> skills_path;        // in the box: the directory of its skills

  // Words of its own by protocol: [protocol.openai-chat] api = "…" makes {api} a placeholder.
  std::map<std::string, Setting<TextMap>> words;
};

// A model provider: where requests go, how they authenticate, which paths there are and what is spoken on each.
struct ProviderRecord {
  Setting<std::string> name;
  Setting<std::string> summary;
  Setting<std::string> upstream;  // scheme://host[:port]; empty: a cassette answers
  Setting<std::string> auth_header;
  Setting<std::string> auth_scheme;   // "Bearer" or empty
  Setting<std::string> key_variable;  // where the key is on the host, unless the profile says otherwise
  Setting<bool> key_optional;
  Setting<std::string> base_url_variable;
  Setting<std::string> base_url;  // what that variable is given by convention: "{relay}" and what must follow it
  Setting<std::string> api_prefix;
  Setting<TextList> routes;         // "METHOD PATH [PROTOCOL|judged]"
  Setting<std::string> check_path;  // GET that tells a good key from a bad one; empty: none
  Setting<TextMap> check_headers;
  Setting<bool> reports_cost;   // an answer's usage says what it cost
  Setting<bool> ask_for_usage;  // stream_options.include_usage is needed
  Setting<std::string> default_model;
};

// What models cost: resources/prices.toml, with the user's own rows over it.
struct PriceTable {
  Setting<TextMap> models;  // model -> "in=5 out=25 cache_read=0.5 cache_write=10", US dollars a million tokens
};

// A container engine.
struct EngineRecord {
  Setting<std::string> name;
  Setting<std::string> summary;
  Setting<std::string> program;
  Setting<TextList> platforms;
  Setting<std::string> dialect{"docker"};
  Setting<TextList> create_flags;
  Setting<TextList> sealed_flags;
  Setting<TextList> lacks;
  Setting<std::string> rootless_userns;
  Setting<TextList> remove{{{"rm"}, {"--force"}, {"--volumes"}}};
  Setting<std::string> label_words{R"({{.Label "{label}"}})"};
  Setting<bool> global_runtime;
  Setting<std::string> network_gateway;
  Setting<std::string> network_internal;
  Setting<bool> network_holder;
  Setting<bool> network_socket{true};
  Setting<bool> virtual_machine;
  Setting<TextList> service_ready;
  Setting<TextList> service_start;
  Setting<TextList> service_stop;
  Setting<std::string> start_hint;
  Setting<std::string> permission_hint;
};

FieldTable<AgentRecord> agent_fields();
FieldTable<ProviderRecord> provider_fields();
FieldTable<PriceTable> price_fields();
FieldTable<EngineRecord> engine_fields();

}  // namespace sanduk
