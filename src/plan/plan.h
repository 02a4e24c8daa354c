// What a run will do, resolved: plain values, no positions, no secrets. `sanduk plan` prints it, `sanduk apply` runs
// it.
//
// Text in braces stands for what is known only when the run starts, in `agent.argv`, `agent.variables` and
// `agent.documents`:
//   {relay}  the relay's root URL as the box sees it, "http://127.0.0.1:PORT"     {token}  the run token
//   {relay_address}  "127.0.0.1:PORT" of it
// In `agent.input`, {task} stands for the task, which can be long.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sanduk {

// open: egress and the key. key_safe: egress and a run token. sealed: a run token and no way out but the relay.
enum class NetworkMode { sealed, key_safe, open };

// How the box reaches the relay. socket: no network at all, one mounted unix socket. gateway: an internal network.
enum class Transport { none, socket, gateway };

// How a body and its usage look on the wire (reference: the providers' API documentation). none: no policy, no usage.
enum class Protocol { none, anthropic_messages, openai_responses, openai_chat, gemini_generate };

enum class BodyLog { none, digest, full };

// rw: the agent works on the directory itself. ro: it may only read it. copy: it works on a copy, which `sanduk
// changes` shows and `sanduk take` brings back.
enum class WorkspaceMode { rw, ro, copy };

// Where an agent's documents are in the box, read-only.
inline constexpr std::string_view box_documents = "/sanduk/documents";

struct Variable {
  std::string name;
  std::string value;  // may hold placeholders
};

struct PlannedAgent {
  std::string name;
  std::vector<std::string> argv;       // the program inside the box and its arguments, the task included
  std::vector<Variable> variables;     // the whole of what the agent's environment is given
  std::string token_variable;          // the variable of those that holds {token}; empty in mode open
  std::string reader;                  // format of its standard output: "claude-stream-json", "plain"
  Protocol protocol = Protocol::none;  // what it is told to speak with the provider
  std::string input;                   // its standard input, "{task}" or empty
  std::vector<Variable> documents;     // files for it, by name, in the box's box_documents; never credentials
};

struct PlannedImage {
  std::string ref;            // the name that is run, e.g. "sanduk-claude:2.1.0-u1000"
  std::string containerfile;  // "builtin:NAME" or an absolute path; empty: the image must exist
  std::vector<Variable> build_arguments;
  bool rebuild = false;
  std::string base_ref;        // with a recipe: the image that the containerfile above makes, or that must exist
  std::string recipe;          // text of a Containerfile on top of base_ref, which makes `ref`; empty: none
  std::string digest;          // "sha256:…": what the engine must know the image by; empty: not pinned
  std::vector<Variable> pins;  // … by the engine's name, from a lock file or `plan --pin`; empty: not pinned
  std::string pinned_in;       // the lock file; empty: `plan --pin`, or not pinned
};

// A path of the workspace that the box may read and not write. Missing ones are covered, too.
struct PlannedWorkspace {
  std::string host_path;                     // absolute, links resolved; mounted at /work
  std::vector<std::string> protected_paths;  // relative, normalised
  std::string report;                        // relative
  WorkspaceMode mode = WorkspaceMode::rw;
  std::vector<std::string> collect;  // other files that are kept with the record, relative
  std::string report_copy;           // absolute path on the host that gets a copy of the report; empty: none
};

// A container engine, as its record says it: how its client is spoken to. The defaults are the words that most have.
struct PlannedEngine {
  std::string name;
  std::string program;                    // its client, looked up on PATH
  std::string dialect = "docker";         // whose answers it gives: "docker" or "apple"
  std::vector<std::string> create_flags;  // what `create` always gets
  std::vector<std::string> sealed_flags;  // what it gets besides where the box has no network
  std::vector<std::string> lacks;         // flags of `create` that it does not know; they are left out, values and all
  std::string rootless_userns;            // value of --userns that keeps files the caller's; {uid} and {gid} filled in
  std::vector<std::string> remove = {"rm", "--force", "--volumes"};  // ends and deletes the container named after it
  std::string label_words = R"({{.Label "{label}"}})";  // how `ps --format` is asked for a container's label
  bool global_runtime = false;                          // --runtime stands before the verb
  std::string gateway_at;                  // where `network inspect` says the gateway: "0.IPAM.Config.0.Gateway"
  std::string internal_at;                 // where it says that a network leads nowhere; empty: it does not say
  bool needs_holder = false;               // the bridge is there only while a container is attached
  bool mounts_sockets = true;              // a mounted unix socket of this host can be connected to in the box
  bool virtual_machine = false;            // each box is a machine of its own, which holds the limits
  std::vector<std::string> ready;          // prints something and succeeds when the engine answers
  std::vector<std::string> service_start;  // empty: started outside
  std::vector<std::string> service_stop;
  std::string start_hint;       // how a stopped engine is started, in words
  std::string permission_hint;  // how a user is let in
};

struct PlannedMount {
  std::string host_path;
  std::string box_path;
  bool read_only = true;
};

// A command that judges the agent's work: in a second box on the same workspace, without a relay, key or network.
struct PlannedVerify {
  std::vector<std::string> argv;
  std::int64_t timeout_seconds = 0;
};

struct PlannedLimits {
  double cpus = 0;  // 0: the engine's default
  std::int64_t memory_bytes = 0;
  std::int64_t pids = 0;
  std::int64_t timeout_seconds = 0;
};

struct PlannedUser {
  std::int64_t uid = 0;
  std::int64_t gid = 0;
};

struct Upstream {
  std::string scheme;  // "https" or "http"
  std::string host;    // name or address, IPv6 without brackets
  std::int64_t port = 0;
};

// One endpoint that the box may call. The path is compared exactly, but for one "{model}" in it, which stands for a
// name of letters, digits, ".", "_" and "-"; the query is passed on.
struct Route {
  std::vector<std::string> methods;  // upper case; GET admits HEAD
  std::string path;
  Protocol protocol = Protocol::none;
  bool has_model = false;  // the body or the path names a model that the model list judges
};

// One GET with the real key before anything is built: 401 and 403 refuse the run, a network error refuses, any other
// status counts as answered.
struct KeyCheck {
  std::string path;
  std::vector<Variable> headers;  // name and value
};

// What a model's tokens cost, in US dollars a million.
struct Price {
  std::string model;
  double in = 0;
  double out = 0;
  double cache_read = 0;
  double cache_write = 0;
  std::int64_t long_context = 0;  // tokens of input above which the call costs `long_in` and `long_out`; 0: none
  double long_in = 0;
  double long_out = 0;
};

// A host besides the provider that the box may have a tunnel to, through the relay.
struct AllowedHost {
  std::string name;  // lower case; or an address, IPv6 without brackets
  std::int64_t port = 0;
};

struct PlannedRelay {
  std::string provider;
  std::optional<Upstream> upstream;  // absent: answers come from the cassette
  std::string cassette;              // absolute path of a recording; empty: none
  std::string auth_header;           // lower case, e.g. "x-api-key"
  std::string auth_scheme;           // "Bearer" or "" (the bare key)
  std::string key_source;            // "env:NAME", "file:PATH", "command:ARGV", "none"
  bool key_optional = false;         // an absent variable then means no key
  std::vector<Route> routes;
  std::optional<std::vector<std::string>> models;  // absent: any; empty: none
  std::optional<std::int64_t> max_tokens;          // clamp of one call's cap field
  std::optional<std::int64_t> budget_calls;
  std::optional<std::int64_t> budget_tokens;  // input + output + cache, as the provider reports them
  std::optional<double> budget_usd;
  std::vector<Price> prices;  // for budget_usd
  bool provider_reports_cost = false;
  std::vector<AllowedHost> hosts;
  bool server_tools = true;    // tools that the provider runs itself: web search, web fetch, code, remote MCP
  bool ask_for_usage = false;  // insert stream_options.include_usage where a chat stream lacks it
  std::optional<KeyCheck> key_check;
  bool insecure_upstream = false;  // the key may cross the network in plain text
};

struct PlannedLog {
  BodyLog bodies = BodyLog::none;
  std::string directory;        // absolute; empty: the run's record folder
  std::string record_file;      // absolute path of the cassette to write; empty: none
  bool responses = false;       // keep the bodies of answers, too
  bool json_lines = false;      // calls are told as JSON lines instead of words
  std::int64_t most_bytes = 0;  // of the bodies that are kept; then the oldest go. 0: no bound
};

// A file that the plan was made from or that the run will read, as it was when the plan was made.
struct PlannedFile {
  std::string path;    // absolute, links resolved
  std::string sha256;  // 64 hexadecimal digits
};

struct Plan {
  std::string name;
  std::string task;  // the prompt as the agent gets it, for the record
  PlannedAgent agent;
  PlannedImage image;
  PlannedWorkspace workspace;
  std::vector<PlannedMount> mounts;
  std::vector<PlannedEngine> engines;  // candidates in order; the first that is ready is used
  std::string oci_runtime;             // the engine's own runtime for this box ("runsc"); empty: its default
  NetworkMode mode = NetworkMode::sealed;
  Transport transport = Transport::socket;
  bool strict_network = false;  // gateway: the run ends when the box can reach a port of this host besides the relay
  PlannedUser user;
  PlannedLimits limits;
  PlannedRelay relay;
  PlannedLog log;
  std::optional<PlannedVerify> verify;
  bool keep = false;            // leave the container for inspection
  bool read_only_root = false;  // nothing of the image can be written, but for what lies below `writable`
  std::vector<std::string> writable;
  std::vector<PlannedFile> files;  // a saved plan is not run when one of them has changed
};

}  // namespace sanduk
