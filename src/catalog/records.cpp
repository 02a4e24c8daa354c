#include "catalog/records.h"

namespace sanduk {

const std::vector<std::string>& protocol_names() {
  static const std::vector<std::string> names = {"anthropic-messages", "openai-responses", "openai-chat",
                                                 "gemini-generate"};
  return names;
}

FieldTable<AgentRecord> agent_fields() {
  using R = AgentRecord;
  FieldTable<AgentRecord> table = {
      field<R>(
          "name", [](R & r) -> auto& { return r.name; }, "the word that agent.name takes")
          .always_required(),
      field<R>(
          "summary", [](R & r) -> auto& { return r.summary; }, "what it is, in a few words")
          .always_required(),
      field<R>(
          "unproved", [](R & r) -> auto& { return r.unproved; },
          "why nobody has run it in a box yet, in a few words; `sanduk list agents` says so"),
      field<R>(
          "protocols", [](R & r) -> auto& { return r.protocols; },
          "wire protocols that it speaks, preferred first: anthropic-messages, openai-responses, openai-chat, "
          "gemini-generate"),
      field<R>(
          "reader", [](R & r) -> auto& { return r.reader; }, "format of its standard output")
          .always_required(),
      field<R>(
          "requires", [](R & r) -> auto& { return r.needs; }, "settings that must have a value, such as \"model\""),
      field<R>(
          "refuses", [](R & r) -> auto& { return r.refuses; },
          "settings that it has nothing for, each with what to do instead"),
      field<R>(
          "default_model", [](R & r) -> auto& { return r.default_model; }, "model that is asked for if none is named"),
      field<R>(
          "image.name", [](R & r) -> auto& { return r.image_name; }, "repository part of the image's tag"),
      field<R>(
          "image.version", [](R & r) -> auto& { return r.image_version; }, "pinned version of the agent in the image"),
      field<R>(
          "image.version_argument", [](R & r) -> auto& { return r.image_version_argument; },
          "build argument that takes the version"),
      field<R>(
          "image.arguments", [](R & r) -> auto& { return r.image_arguments; }, "more build arguments, by name"),
      field<R>(
          "image.containerfile", [](R & r) -> auto& { return r.image_containerfile; },
          "which resources/images/Containerfile.NAME builds it"),
      field<R>(
          "image.read_only_root", [](R & r) -> auto& { return r.image_read_only; },
          "whether it works where nothing of its image can be written but image.writable, /tmp and /var/tmp"),
      field<R>(
          "image.writable", [](R & r) -> auto& { return r.image_writable; },
          "directories of its image that it writes, such as its home"),
      field<R>(
          "argv", [](R & r) -> auto& { return r.argv; },
          "the command inside the box; {task} is the prompt, {settings} the place of argv_with"),
      field<R>(
          "argv_with", [](R & r) -> auto& { return r.argv_with; },
          "words that are added when a setting has a value, by setting"),
      field<R>(
          "input", [](R & r) -> auto& { return r.input; }, "its standard input, such as \"{task}\"; none if absent"),
      field<R>(
          "endpoint.base_url_variable", [](R & r) -> auto& { return r.base_url_variable; },
          "variable from which it reads its endpoint"),
      field<R>(
          "endpoint.base_url", [](R & r) -> auto& { return r.base_url; },
          "what that variable is given; {relay} is the relay"),
      field<R>(
          "endpoint.key_variable", [](R & r) -> auto& { return r.key_variable; },
          "variable from which it reads its key"),
      field<R>(
          "variables", [](R & r) -> auto& { return r.variables; },
          "fixed variables that keep it quiet without a network"),
      field<R>(
          "documents", [](R & r) -> auto& { return r.documents; },
          "files that it reads, by name; they lie in the directory {documents} of the box"),
      field<R>(
          "paths.instructions", [](R & r) -> auto& { return r.instructions_path; },
          "file in the box from which it reads standing instructions"),
      field<R>(
          "paths.skills", [](R & r) -> auto& { return r.skills_path; }, "directory in the box with its skills"),
  };
  for (const std::string& name : protocol_names()) {
    table.push_back(field<R>(
        "protocol." + name, [name](R & r) -> auto& { return r.words[name]; },
        "words for this protocol: KEY = \"…\" makes {KEY} a placeholder"));
  }
  return table;
}

FieldTable<ProviderRecord> provider_fields() {
  using R = ProviderRecord;
  return {
      field<R>(
          "name", [](R & r) -> auto& { return r.name; }, "the word that provider.name takes")
          .always_required(),
      field<R>(
          "summary", [](R & r) -> auto& { return r.summary; }, "what it is, in a few words")
          .always_required(),
      field<R>(
          "upstream", [](R & r) -> auto& { return r.upstream; }, "scheme://host[:port], no path"),
      field<R>(
          "auth.header", [](R & r) -> auto& { return r.auth_header; }, "header that carries the key, in lower case"),
      field<R>(
          "auth.scheme", [](R & r) -> auto& { return r.auth_scheme; }, "word before the key, such as Bearer"),
      field<R>(
          "key.variable", [](R & r) -> auto& { return r.key_variable; }, "variable that holds the key on the host"),
      field<R>(
          "key.optional", [](R & r) -> auto& { return r.key_optional; }, "whether it works without a key"),
      field<R>(
          "base_url_variable", [](R & r) -> auto& { return r.base_url_variable; },
          "variable that programs usually read the endpoint from"),
      field<R>(
          "base_url", [](R & r) -> auto& { return r.base_url; }, "what that variable is given; {relay} is the relay"),
      field<R>(
          "api_prefix", [](R & r) -> auto& { return r.api_prefix; }, "first part of every path"),
      field<R>(
          "routes", [](R & r) -> auto& { return r.routes; },
          "\"METHOD PATH\", then the protocol spoken there, or `judged` for a body whose model is checked")
          .always_required(),
      field<R>(
          "check.path", [](R & r) -> auto& { return r.check_path; }, "GET that tells a good key from a bad one"),
      field<R>(
          "check.headers", [](R & r) -> auto& { return r.check_headers; }, "headers of that GET"),
      field<R>(
          "reports_cost", [](R & r) -> auto& { return r.reports_cost; },
          "whether the usage of an answer says what it cost in US dollars"),
      field<R>(
          "ask_for_usage", [](R & r) -> auto& { return r.ask_for_usage; },
          "whether a chat stream reports usage only when stream_options asks for it"),
      field<R>(
          "default_model", [](R & r) -> auto& { return r.default_model; }, "model that is asked for if none is named"),
  };
}

FieldTable<PriceTable> price_fields() {
  using R = PriceTable;
  return {
      field<R>(
          "models", [](R & r) -> auto& { return r.models; },
          "model = \"in=5 out=25 cache_read=0.5 cache_write=10\": US dollars a million tokens"),
  };
}

FieldTable<EngineRecord> engine_fields() {
  using R = EngineRecord;
  return {
      field<R>(
          "name", [](R & r) -> auto& { return r.name; }, "the word that engine.name takes")
          .always_required(),
      field<R>(
          "summary", [](R & r) -> auto& { return r.summary; }, "what it is, in a few words")
          .always_required(),
      field<R>(
          "program", [](R & r) -> auto& { return r.program; }, "its command-line client")
          .always_required(),
      field<R>(
          "platforms", [](R & r) -> auto& { return r.platforms; }, "where `auto` considers it: linux, macos"),
      field<R>(
          "dialect", [](R & r) -> auto& { return r.dialect; }, "whose answers it gives")
          .one_of({"docker", "podman", "apple"}),
      field<R>(
          "create.flags", [](R & r) -> auto& { return r.create_flags; }, "what `create` always gets"),
      field<R>(
          "create.sealed_flags", [](R & r) -> auto& { return r.sealed_flags; },
          "what `create` gets besides where the box has no network"),
      field<R>(
          "create.lacks", [](R & r) -> auto& { return r.lacks; }, "flags of `create` that it does not know"),
      field<R>(
          "create.rootless_userns", [](R & r) -> auto& { return r.rootless_userns; },
          "value of --userns that keeps files the caller's where it runs as a plain user; {uid} and {gid} filled in"),
      field<R>(
          "remove", [](R & r) -> auto& { return r.remove; },
          "words that end and delete the container named after them"),
      field<R>(
          "list.label", [](R & r) -> auto& { return r.label_words; },
          "how `ps --format` is asked for the label {label} of a container"),
      field<R>(
          "create.global_runtime", [](R & r) -> auto& { return r.global_runtime; },
          "whether --runtime stands before the verb"),
      field<R>(
          "network.gateway", [](R & r) -> auto& { return r.network_gateway; },
          "where `network inspect` says the gateway: members and indices with dots"),
      field<R>(
          "network.internal", [](R & r) -> auto& { return r.network_internal; },
          "where `network inspect` says that a network leads nowhere"),
      field<R>(
          "network.holder", [](R & r) -> auto& { return r.network_holder; },
          "whether a network's bridge is there only while a container is attached"),
      field<R>(
          "network.socket", [](R & r) -> auto& { return r.network_socket; },
          "whether a box can connect to a mounted unix socket of the host"),
      field<R>(
          "virtual_machine", [](R & r) -> auto& { return r.virtual_machine; },
          "whether each box is a virtual machine of its own, which holds the limits"),
      field<R>(
          "service.ready", [](R & r) -> auto& { return r.service_ready; },
          "words that print something and succeed when it answers")
          .always_required(),
      field<R>(
          "service.start", [](R & r) -> auto& { return r.service_start; }, "words that start its service"),
      field<R>(
          "service.stop", [](R & r) -> auto& { return r.service_stop; }, "words that stop its service"),
      field<R>(
          "hint.start", [](R & r) -> auto& { return r.start_hint; }, "how a stopped one is started, in words"),
      field<R>(
          "hint.permission", [](R & r) -> auto& { return r.permission_hint; }, "how a user is let in, in words"),
  };
}

}  // namespace sanduk
