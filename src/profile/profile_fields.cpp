#include "profile/profile_fields.h"

namespace sanduk {
namespace {

using P = Profile;

FieldTable<Profile> make_table() {
  return {
      field<P>(
          "version", [](P & p) -> auto& { return p.version; }, "version of the profile language; 1"),
      field<P>(
          "extends", [](P & p) -> auto& { return p.extends; },
          "profiles that this one builds on, left to right: \"sanduk:NAME\" or a path")
          .accepting_one(),
      field<P>(
          "locked", [](P & p) -> auto& { return p.locked; },
          "profiles that extend this one, later files and flags cannot allow more than it does"),
      field<P>(
          "name", [](P & p) -> auto& { return p.name; }, "name of the run, for records and logs")
          .with_flag("--name", "NAME"),
      field<P>(
          "description", [](P & p) -> auto& { return p.description; }, "what the profile is for, for its readers"),
      field<P>(
          "task", [](P & p) -> auto& { return p.task; }, "what the agent is asked to do")
          .with_flag("--task", "TEXT"),
      field<P>(
          "task_file", [](P & p) -> auto& { return p.task_file; }, "file that holds the task")
          .with_flag("--task-file", "FILE"),
      field<P>(
          "verify", [](P & p) -> auto& { return p.verify; },
          "command that judges the work afterwards, in a box of its own without relay, key or network")
          .with_flag("--verify", "COMMAND"),

      field<P>(
          "provider.name", [](P & p) -> auto& { return p.provider.name; },
          "who answers: a name of `sanduk list providers`")
          .with_flag("--provider", "NAME")
          .widening(Widens::replaced),
      field<P>(
          "provider.key", [](P & p) -> auto& { return p.provider.key; },
          "where the key is: env:NAME, file:PATH, command:ARGV or none; never the key itself")
          .with_flag("--key", "SOURCE")
          .widening(Widens::command),
      field<P>(
          "provider.upstream", [](P & p) -> auto& { return p.provider.upstream; },
          "another server for the same API: scheme://host:port, no path")
          .with_flag("--upstream", "URL")
          .widening(Widens::set),
      field<P>(
          "provider.insecure_upstream", [](P & p) -> auto& { return p.provider.insecure_upstream; },
          "allow a plaintext upstream that is not on this machine; the key travels readable")
          .with_switch("--insecure-upstream")
          .widening(Widens::turned_on),
      field<P>(
          "provider.cassette", [](P & p) -> auto& { return p.provider.cassette; },
          "recorded answers, for the provider `replay`")
          .with_flag("--cassette", "FILE"),
      field<P>(
          "provider.key_check", [](P & p) -> auto& { return p.provider.key_check; },
          "ask the provider whether the key is good before anything is built")
          .widening(Widens::turned_off),

      field<P>(
          "agent.name", [](P & p) -> auto& { return p.agent.name; },
          "who works: a name of `sanduk list agents`, or a file")
          .with_flag("--agent", "NAME"),
      field<P>(
          "agent.model", [](P & p) -> auto& { return p.agent.model; }, "model that the agent asks for")
          .with_flag("--model", "MODEL"),
      field<P>(
          "agent.effort", [](P & p) -> auto& { return p.agent.effort; },
          "how hard the model thinks, in the agent's own words")
          .with_flag("--effort", "WORD"),
      field<P>(
          "agent.max_turns", [](P & p) -> auto& { return p.agent.max_turns; }, "turns after which the agent stops")
          .with_flag("--max-turns", "N"),
      field<P>(
          "agent.command", [](P & p) -> auto& { return p.agent.command; },
          "argv of the agent `command`; {task} is the task"),
      field<P>(
          "agent.args", [](P & p) -> auto& { return p.agent.args; }, "more words for the agent's command line"),
      field<P>(
          "agent.env", [](P & p) -> auto& { return p.agent.env; }, "variables for the agent; never a credential")
          .with_flag("--env", "NAME=VALUE")
          .with_short("-e")
          .adding(),
      field<P>(
          "agent.options", [](P & p) -> auto& { return p.agent.options; },
          "settings that one agent alone has; `sanduk list agents` shows them"),
      field<P>(
          "agent.key_variable", [](P & p) -> auto& { return p.agent.key_variable; },
          "variable in the box that holds the token, if not the agent's own")
          .with_flag("--agent-key-env", "NAME"),
      field<P>(
          "agent.base_url_variable", [](P & p) -> auto& { return p.agent.base_url_variable; },
          "variable in the box that holds the endpoint, if not the agent's own")
          .with_flag("--agent-base-url-env", "NAME"),
      field<P>(
          "agent.base_url", [](P & p) -> auto& { return p.agent.base_url; },
          "endpoint that the agent is given in the mode `open`, if not the provider's")
          .with_flag("--base-url", "URL")
          .widening(Widens::set),
      field<P>(
          "agent.report_instruction", [](P & p) -> auto& { return p.agent.report_instruction; },
          "add to the task where the report is to be written"),
      field<P>(
          "agent.stdin", [](P & p) -> auto& { return p.agent.stdin_task; },
          "the agent `command` gets the task on its standard input"),
      field<P>(
          "agent.instructions", [](P & p) -> auto& { return p.agent.instructions; },
          "file with standing instructions, read-only where the agent looks for them")
          .widening(Widens::set),
      field<P>(
          "agent.skills", [](P & p) -> auto& { return p.agent.skills; },
          "directory of skills, read-only where the agent looks for them")
          .widening(Widens::set),

      field<P>(
          "image.ref", [](P & p) -> auto& { return p.image.ref; }, "image to run instead of the agent's own")
          .with_flag("--image", "REF")
          .widening(Widens::replaced),
      field<P>(
          "image.containerfile", [](P & p) -> auto& { return p.image.containerfile; },
          "Containerfile to build instead of the agent's own")
          .with_flag("--containerfile", "FILE")
          .widening(Widens::replaced),
      field<P>(
          "image.rebuild", [](P & p) -> auto& { return p.image.rebuild; }, "build the image even if it is there")
          .with_switch("--rebuild"),
      field<P>(
          "image.digest", [](P & p) -> auto& { return p.image.digest; },
          "sha256:…: the only image that may be run, by the engine's own id of it")
          .with_flag("--image-digest", "DIGEST"),
      field<P>(
          "image.add.apt", [](P & p) -> auto& { return p.image.add_apt; },
          "Debian packages to add to the image: NAME or NAME=VERSION")
          .widening(Widens::grants),
      field<P>(
          "image.add.npm", [](P & p) -> auto& { return p.image.add_npm; },
          "npm packages to add to it, pinned: NAME@VERSION")
          .widening(Widens::grants),
      field<P>(
          "image.add.run", [](P & p) -> auto& { return p.image.add_run; },
          "shell commands that are run on it as the super-user when it is built")
          .widening(Widens::grants),

      field<P>(
          "workspace.path", [](P & p) -> auto& { return p.workspace.path; },
          "directory that the agent works on, mounted at /work")
          .with_flag("--workdir", "DIR")
          .with_short("-w")
          .widening(Widens::ancestor),
      field<P>(
          "workspace.protect", [](P & p) -> auto& { return p.workspace.protect; },
          "paths in it that the agent may not write, there or not")
          .widening(Widens::guards),
      field<P>(
          "workspace.report", [](P & p) -> auto& { return p.workspace.report; },
          "file in it that the agent is to write")
          .with_flag("--report", "FILE"),
      field<P>(
          "workspace.report_copy", [](P & p) -> auto& { return p.workspace.report_copy; },
          "file outside of it that gets a copy of the report")
          .with_flag("--report-copy", "FILE")
          .widening(Widens::set),
      field<P>(
          "workspace.collect", [](P & p) -> auto& { return p.workspace.collect; },
          "other files in it that are kept with the run's record; `*`, `?`, `[…]` and `**` mean several")
          .with_flag("--collect", "FILE")
          .adding(),
      field<P>(
          "workspace.mounts", [](P & p) -> auto& { return p.workspace.mounts; },
          "more directories for the box: \"HOST:DEST\" or \"HOST:DEST:ro\"")
          .with_flag("--mount", "HOST:DEST[:ro]")
          .adding()
          .widening(Widens::grants),
      field<P>(
          "workspace.mode", [](P & p) -> auto& { return p.workspace.mode; },
          "rw: the agent changes the directory; ro: it only reads; copy: it works on a copy (`sanduk changes`)")
          .one_of({"rw", "ro", "copy"})
          .with_flag("--workspace-mode", "MODE")
          .widening(Widens::later, {"ro", "copy", "rw"}),

      field<P>(
          "engine.name", [](P & p) -> auto& { return p.engine.name; }, "container engine, or `auto`")
          .with_flag("--runtime", "NAME"),
      field<P>(
          "engine.keep", [](P & p) -> auto& { return p.engine.keep; },
          "leave the container for inspection, which then shows the run's token")
          .with_switch("--keep")
          .widening(Widens::turned_on),
      field<P>(
          "engine.oci_runtime", [](P & p) -> auto& { return p.engine.oci_runtime; },
          "runtime that the engine is to use for the box, such as runsc (gVisor) or kata")
          .with_flag("--oci-runtime", "NAME")
          .widening(Widens::replaced),
      field<P>(
          "engine.read_only_root", [](P & p) -> auto& { return p.engine.read_only_root; },
          "whether nothing of the image can be written but the agent's home, /tmp and /var/tmp; default: where the "
          "agent is known to work so")
          .widening(Widens::turned_off),

      field<P>(
          "network.mode", [](P & p) -> auto& { return p.network.mode; },
          "sealed: no way out but the relay; key-safe: egress, but no key; open: egress and the key")
          .one_of({"sealed", "key-safe", "open"})
          .with_flag("--mode", "MODE")
          .widening(Widens::later, {"sealed", "key-safe", "open"}),
      field<P>(
          "network.transport", [](P & p) -> auto& { return p.network.transport; },
          "how the box reaches the relay: socket (no network at all), gateway (a network of its own), auto")
          .one_of({"auto", "socket", "gateway"})
          .with_flag("--transport", "NAME")
          .widening(Widens::later, {"socket", "auto", "gateway"}),
      field<P>(
          "network.strict", [](P & p) -> auto& { return p.network.strict; },
          "end the run when the box can reach a port of this host besides the relay (transport gateway)")
          .with_switch("--strict-network")
          .widening(Widens::turned_off),

      field<P>(
          "caps.cpus", [](P & p) -> auto& { return p.caps.cpus; },
          "processors that the box may use, at most what the host has")
          .with_flag("--cpus", "N")
          .widening(Widens::larger),
      field<P>(
          "caps.memory", [](P & p) -> auto& { return p.caps.memory; }, "memory of the box, with its unit")
          .with_flag("--memory", "SIZE")
          .widening(Widens::larger),
      field<P>(
          "caps.pids", [](P & p) -> auto& { return p.caps.pids; }, "processes and threads in the box")
          .with_flag("--pids", "N")
          .widening(Widens::larger),
      field<P>(
          "caps.timeout", [](P & p) -> auto& { return p.caps.timeout; },
          "time after which the run is ended: 900, 45s, 15m, 2h")
          .with_flag("--timeout", "TIME")
          .widening(Widens::larger),
      field<P>(
          "caps.max_tokens", [](P & p) -> auto& { return p.caps.max_tokens; },
          "most tokens that one answer may have; larger wishes are lowered")
          .with_flag("--max-tokens-cap", "N")
          .widening(Widens::unlimited),
      field<P>(
          "caps.tokens", [](P & p) -> auto& { return p.caps.tokens; }, "tokens that the run may use, in and out")
          .with_flag("--budget-tokens", "N")
          .widening(Widens::unlimited),
      field<P>(
          "caps.calls", [](P & p) -> auto& { return p.caps.calls; }, "model calls that the run may make")
          .with_flag("--budget-calls", "N")
          .widening(Widens::unlimited),
      field<P>(
          "caps.usd", [](P & p) -> auto& { return p.caps.usd; }, "money that the run may cost, in US dollars")
          .with_flag("--budget-usd", "AMOUNT")
          .widening(Widens::unlimited),

      field<P>(
          "allow.models", [](P & p) -> auto& { return p.allow.models; },
          "models that may be asked for; [] is none, absent is whatever the provider has")
          .with_flag("--allow-model", "MODEL")
          .widening(Widens::allowlist),
      field<P>(
          "allow.paths", [](P & p) -> auto& { return p.allow.paths; },
          "endpoints that may be called, exactly: \"/v1/messages\"; absent is the provider's list")
          .with_flag("--proxy-allow-path", "PATH")
          .widening(Widens::allowlist),
      field<P>(
          "allow.hosts", [](P & p) -> auto& { return p.allow.hosts; },
          "other hosts that a sealed box may reach over TLS, exactly: \"registry.example:443\"")
          .with_flag("--allow-host", "HOST:PORT")
          .adding()
          .widening(Widens::grants),

      field<P>(
          "allow.server_tools", [](P & p) -> auto& { return p.allow.server_tools; },
          "tools that the provider runs itself: web search, web fetch, code execution, remote MCP")
          .widening(Widens::turned_on),

      field<P>(
          "log.bodies", [](P & p) -> auto& { return p.log.bodies; },
          "what is kept of request bodies: none, a digest, or all")
          .one_of({"none", "digest", "full"})
          .with_switch("--log-bodies", "full")
          .widening(Widens::later, {"full", "digest", "none"}),
      field<P>(
          "log.responses", [](P & p) -> auto& { return p.log.responses; },
          "what is kept of the bodies of answers: none or all")
          .one_of({"none", "full"})
          .widening(Widens::later, {"full", "none"}),
      field<P>(
          "log.max_size", [](P & p) -> auto& { return p.log.max_size; },
          "size of the bodies that are kept, with its unit; then the oldest go"),
      field<P>(
          "log.format", [](P & p) -> auto& { return p.log.format; },
          "how calls are told on standard error: text, or JSON lines")
          .one_of({"text", "json"}),
      field<P>(
          "log.dir", [](P & p) -> auto& { return p.log.dir; },
          "where bodies are kept; default: the run's record folder")
          .with_flag("--log-dir", "DIR"),
      field<P>(
          "log.record", [](P & p) -> auto& { return p.log.record; },
          "write the provider's answers to this new file, for `replay`")
          .with_flag("--record", "FILE"),
  };
}

}  // namespace

const FieldTable<Profile>& profile_fields() {
  static const FieldTable<Profile> table = make_table();
  return table;
}

}  // namespace sanduk
