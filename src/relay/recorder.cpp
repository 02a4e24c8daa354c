#include "relay/recorder.h"

#include <map>

#include "base/json.h"
#include "base/text.h"
#include "diagnostics/diagnostic.h"
#include "relay/base64.h"
#include "relay/request_facts.h"
#include "relay/scrubber.h"

namespace sanduk {
namespace {

bool is_worth_keeping(std::string_view name) {
  for (const std::string_view dropped : {"connection", "keep-alive", "transfer-encoding", "set-cookie", "set-cookie2",
                                         "alt-svc", "trailer", "upgrade", "proxy-authenticate", "proxy-connection"}) {
    if (equal_ignoring_case(name, dropped)) return false;
  }
  return true;
}

// Headers of one name become a list.
void write_headers(JsonWriter& json, const CassetteEntry& entry) {
  json.key("headers").begin_object();
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> values;
  for (const auto& [name, value] : entry.headers) {
    if (!values.contains(lower(name))) names.push_back(name);
    values[lower(name)].push_back(value);
  }
  for (const std::string& name : names) {
    const std::vector<std::string>& list = values[lower(name)];
    if (list.size() == 1) {
      json.field(name, list.front());
    } else {
      json.field(name, list);
    }
  }
  json.end_object();
}

}  // namespace

Recorder::Recorder(const std::string& path) {
  FileResult<FileDescriptor> file = create_file(path);
  if (!file) {
    throw RunError(Failure::host,
                   error("cannot-record", file.error().message).with_help("name a file that does not exist yet"));
  }
  file_ = std::move(*file);
}

Recorder::Take::Take(const Question& question, const ResponseHead& head, const Limits& limits, const Secret& key)
    : room_(limits.record_bytes), last_(Clock::now()) {
  const RequestFacts facts = read_request_facts(question.body);
  judged_ = question.has_body;
  entry_.method = question.method;
  entry_.path = question.path;
  entry_.status = head.status;
  entry_.when.stream = facts.stream;
  entry_.when.tools = facts.tools;
  entry_.when.tool_result = facts.tool_result;
  for (const Header& header : head.headers) {
    if (is_worth_keeping(header.name) && !lists_token(head.headers, "connection", header.name)) {
      entry_.headers.emplace_back(header.name, header.value);
      Scrubber::cover(entry_.headers.back().second, key);
    }
  }
}

void Recorder::Take::add(std::string_view bytes) {
  if (bytes.size() > room_) too_large_ = true;
  if (too_large_) return;
  room_ -= bytes.size();
  const Clock::time_point now = Clock::now();
  entry_.pieces.push_back(
      {std::chrono::duration_cast<std::chrono::milliseconds>(now - last_).count(), std::string(bytes)});
  last_ = now;
}

void Recorder::keep(const Take& take) {
  if (take.too_large_) return;
  const CassetteEntry& entry = take.entry_;
  JsonWriter json;
  json.begin_object().field("route", entry.method + " " + entry.path);
  if (take.judged_) {
    json.key("when").begin_object().field("stream", *entry.when.stream).field("tools", *entry.when.tools);
    json.field("tool_result", *entry.when.tool_result).end_object();
  }
  json.field("status", entry.status);
  write_headers(json, entry);
  json.key("chunks").begin_array();
  for (const CassettePiece& piece : entry.pieces) {
    json.begin_object().field("delay_ms", piece.delay_ms).field("base64", encode_base64(piece.bytes)).end_object();
  }
  json.end_array();
  if (entry.cut) json.field("cut", true);
  json.end_object();
  const std::lock_guard lock(mutex_);
  write_all(file_.get(), json.text() + "\n");
}

}  // namespace sanduk
