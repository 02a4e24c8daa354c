#include "engine/run_record.h"

#include <array>
#include <cerrno>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/json.h"
#include "base/secret.h"
#include "plan/plan_json.h"

namespace sanduk {
namespace {

constexpr int version = 1;
constexpr std::size_t most_bytes = std::size_t{4} << 20;

constexpr std::array<std::pair<RunState, std::string_view>, 6> state_words = {{{RunState::preparing, "preparing"},
                                                                               {RunState::running, "running"},
                                                                               {RunState::collecting, "collecting"},
                                                                               {RunState::undoing, "undoing"},
                                                                               {RunState::ended, "ended"},
                                                                               {RunState::abandoned, "abandoned"}}};

void optional_field(JsonWriter& json, std::string_view name, const std::optional<std::int64_t>& value) {
  if (value) json.field(name, *value);
}

void optional_field(JsonWriter& json, std::string_view name, const std::optional<double>& value) {
  if (value) json.field(name, *value);
}

void write_reason(JsonWriter& json, const Diagnostic& reason) {
  json.key("reason").begin_object().field("code", reason.code).field("message", reason.message);
  if (!reason.notes.empty()) json.field("notes", reason.notes);
  if (!reason.help.empty()) json.field("help", reason.help);
  json.end_object();
}

void write_relay(JsonWriter& json, const RelayTally& tally) {
  json.key("relay").begin_object();
  json.field("calls", tally.calls)
      .field("tunnels", tally.tunnels)
      .field("refused", tally.refused)
      .field("without_usage", tally.without_usage);
  optional_field(json, "in", tally.usage.in);
  optional_field(json, "cache_write", tally.usage.cache_write);
  optional_field(json, "cache_read", tally.usage.cache_read);
  optional_field(json, "out", tally.usage.out);
  optional_field(json, "cost_usd", tally.usage.cost_usd);
  json.field("total", tally.usage.total).end_object();
}

void write_agent(JsonWriter& json, const AgentResult& agent) {
  json.key("agent").begin_object();
  json.field("final_record", agent.final_record).field("failed", agent.failed);
  if (!agent.text.empty()) json.field("text", agent.text);
  if (!agent.model.empty()) json.field("model", agent.model);
  optional_field(json, "turns", agent.turns);
  optional_field(json, "in", agent.input_tokens);
  optional_field(json, "cache_write", agent.cache_write_tokens);
  optional_field(json, "cache_read", agent.cache_read_tokens);
  optional_field(json, "out", agent.output_tokens);
  optional_field(json, "cost_usd", agent.cost_usd);
  json.end_object();
}

void write_mount_points(JsonWriter& json, const std::vector<MountPoint>& points) {
  json.key("mount_points").begin_array();
  for (const MountPoint& point : points) {
    json.begin_object().field("path", point.path).field("directory", point.directory).end_object();
  }
  json.end_array();
}

using Object = Poco::JSON::Object::Ptr;

std::string text(const Object& object, const char* name) { return json_text(object, name).value_or(""); }

RelayTally read_relay(const Object& object) {
  RelayTally tally;
  if (!object) return tally;
  tally.calls = json_integer(object, "calls").value_or(0);
  tally.tunnels = json_integer(object, "tunnels").value_or(0);
  tally.refused = json_integer(object, "refused").value_or(0);
  tally.without_usage = json_integer(object, "without_usage").value_or(0);
  tally.usage.in = json_integer(object, "in");
  tally.usage.cache_write = json_integer(object, "cache_write");
  tally.usage.cache_read = json_integer(object, "cache_read");
  tally.usage.out = json_integer(object, "out");
  tally.usage.cost_usd = json_number(object, "cost_usd");
  tally.usage.total = json_integer(object, "total").value_or(0);
  return tally;
}

AgentResult read_agent(const Object& object) {
  AgentResult agent;
  if (!object) return agent;
  agent.final_record = json_boolean(object, "final_record").value_or(false);
  agent.failed = json_boolean(object, "failed").value_or(false);
  agent.text = text(object, "text");
  agent.model = text(object, "model");
  agent.turns = json_integer(object, "turns");
  agent.input_tokens = json_integer(object, "in");
  agent.cache_write_tokens = json_integer(object, "cache_write");
  agent.cache_read_tokens = json_integer(object, "cache_read");
  agent.output_tokens = json_integer(object, "out");
  agent.cost_usd = json_number(object, "cost_usd");
  return agent;
}

std::vector<MountPoint> read_mount_points(const Poco::JSON::Array::Ptr& array) {
  std::vector<MountPoint> points;
  for (std::size_t i = 0; array && i < array->size(); ++i) {
    if (!array->isObject(static_cast<unsigned>(i))) continue;
    const Object point = array->getObject(static_cast<unsigned>(i));
    points.push_back({text(point, "path"), json_boolean(point, "directory").value_or(false)});
  }
  return points;
}

PlannedEngine read_engine(const Object& object) {
  if (const Object whole = json_object(object, "engine_record")) {
    std::ostringstream words;
    whole->stringify(words);
    if (std::optional<PlannedEngine> engine = read_engine_json(words.str())) return *engine;
  }
  PlannedEngine engine;
  engine.name = engine.program = text(object, "engine");
  return engine;
}

std::vector<std::string> read_texts(const Object& object, const char* name) {
  std::vector<std::string> result;
  const Poco::JSON::Array::Ptr array = json_array(object, name);
  for (std::size_t i = 0; array && i < array->size(); ++i) {
    const Poco::Dynamic::Var value = array->get(static_cast<unsigned>(i));
    if (value.isString()) result.push_back(value.extract<std::string>());
  }
  return result;
}

}  // namespace

std::string state_word(RunState state) {
  for (const auto& [known, word] : state_words) {
    if (known == state) return std::string(word);
  }
  return "";
}

std::string run_record_json(const RunRecord& record) {
  JsonWriter json(2);
  json.begin_object().field("version", version).field("run", record.run_id).field("state", state_word(record.state));
  if (!record.status.empty()) json.field("status", record.status);
  if (record.exit_code) json.field("exit_code", *record.exit_code);
  if (record.reason) write_reason(json, *record.reason);
  json.key("plan").begin_object().field("name", record.plan_name).field("digest", record.plan_digest).end_object();
  json.key("owner")
      .begin_object()
      .field("pid", record.owner.pid)
      .field("start_time", record.owner.start_time)
      .end_object();
  json.field("started", record.started);
  if (!record.ended.empty()) json.field("ended", record.ended).field("seconds", record.seconds);
  json.field("engine", record.engine.name).field("image", record.image);
  if (!record.image_id.empty()) json.field("image_id", record.image_id);
  // Whoever cleans up later must speak to the engine in its words, wherever its record has gone meanwhile.
  if (!record.engine.name.empty()) json.key("engine_record").raw(engine_json(record.engine));
  json.key("container").begin_object().field("name", record.container);
  json.field("requested", record.container_requested).field("settled", record.container_settled).end_object();
  if (!record.network.empty()) json.field("network", record.network);
  json.field("run_directory", record.run_directory);
  json.field("workspace", record.workspace);
  if (!record.mount_points.empty()) write_mount_points(json, record.mount_points);
  json.key("steps").begin_array();
  for (const RecordedStep& step : record.steps) {
    json.begin_object().field("name", step.name).field("seconds", step.seconds);
    if (!step.failure.empty()) json.field("failure", step.failure);
    json.end_object();
  }
  json.end_array();
  write_relay(json, record.relay);
  write_agent(json, record.agent);
  if (!record.report.empty()) json.field("report", record.report);
  if (!record.changed_host_files.empty()) json.field("changed_host_files", record.changed_host_files);
  if (record.verify_box_held) json.field("verify_box_held", *record.verify_box_held);
  if (record.verify_code) json.field("verify_exit_code", *record.verify_code);
  if (!record.collected.empty()) json.field("collected", record.collected);
  if (!record.notes.empty()) json.field("notes", record.notes);
  json.end_object();
  return json.text() + "\n";
}

std::optional<RunRecord> read_run_record(std::string_view json) {
  const Object object = parse_json_object(json);
  if (!object || json_integer(object, "version") != version) return std::nullopt;
  RunRecord record;
  record.run_id = text(object, "run");
  bool known_state = false;
  for (const auto& [state, word] : state_words) {
    if (json_text(object, "state") != word) continue;
    record.state = state;
    known_state = true;
  }
  if (record.run_id.empty() || !known_state) return std::nullopt;
  record.status = text(object, "status");
  if (const auto code = json_integer(object, "exit_code")) record.exit_code = static_cast<int>(*code);
  if (const Object reason = json_object(object, "reason")) {
    record.reason = error(text(reason, "code"), text(reason, "message"));
    record.reason->notes = read_texts(reason, "notes");
    record.reason->help = text(reason, "help");
  }
  const Object plan = json_object(object, "plan");
  record.plan_name = text(plan, "name");
  record.plan_digest = text(plan, "digest");
  const Object owner = json_object(object, "owner");
  record.owner = {json_integer(owner, "pid").value_or(0), text(owner, "start_time")};
  record.started = text(object, "started");
  record.ended = text(object, "ended");
  record.seconds = json_number(object, "seconds").value_or(0);
  record.engine = read_engine(object);
  record.image = text(object, "image");
  record.image_id = text(object, "image_id");
  const Object container = json_object(object, "container");
  record.container = text(container, "name");
  record.container_requested = json_boolean(container, "requested").value_or(false);
  record.container_settled = json_boolean(container, "settled").value_or(false);
  record.network = text(object, "network");
  record.run_directory = text(object, "run_directory");
  record.workspace = text(object, "workspace");
  record.mount_points = read_mount_points(json_array(object, "mount_points"));
  const Poco::JSON::Array::Ptr steps = json_array(object, "steps");
  for (std::size_t i = 0; steps && i < steps->size(); ++i) {
    if (!steps->isObject(static_cast<unsigned>(i))) continue;
    const Object step = steps->getObject(static_cast<unsigned>(i));
    record.steps.push_back({text(step, "name"), json_number(step, "seconds").value_or(0), text(step, "failure")});
  }
  record.relay = read_relay(json_object(object, "relay"));
  record.agent = read_agent(json_object(object, "agent"));
  record.report = text(object, "report");
  record.changed_host_files = read_texts(object, "changed_host_files");
  record.verify_box_held = json_boolean(object, "verify_box_held");
  if (const auto code = json_integer(object, "verify_exit_code")) record.verify_code = static_cast<int>(*code);
  record.collected = read_texts(object, "collected");
  record.notes = read_texts(object, "notes");
  return record;
}

FileResult<RunRecord> load_run_record(const std::filesystem::path& record_directory) {
  const FileResult<std::string> json = read_file_beneath(record_directory, "run.json", most_bytes);
  if (!json) return json.error();
  std::optional<RunRecord> record = read_run_record(*json);
  if (!record) return FileError{"cannot read " + (record_directory / "run.json").string() + ": not a record of a run"};
  return std::move(*record);
}

// Whole or not at all for whoever reads it, whatever kills us; but not through a loss of power: six times a run, an
// fsync would be a good part of a second on a busy disk, and after a reboot no container runs.
std::optional<FileError> store_run_record(const std::filesystem::path& record_directory, const RunRecord& record) {
  const std::filesystem::path path = record_directory / "run.json";
  const std::filesystem::path next = record_directory / (".run.json." + random_hex(6));
  FileResult<FileDescriptor> file = create_file(next);
  if (!file) return file.error();
  std::error_code error;
  const bool written = write_all(file->get(), run_record_json(record));
  if (written) std::filesystem::rename(next, path, error);
  if (written && !error) return std::nullopt;
  const int code = error ? error.value() : errno;
  std::filesystem::remove(next, error);
  return FileError{"cannot write " + path.string() + ": " + std::generic_category().message(code), code};
}

}  // namespace sanduk
