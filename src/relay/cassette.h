// A recording of a provider: JSON lines, one answer a line, with what a request must look like to get it.
//
//   {"route": "POST /v1/messages", "when": {…}, "status": 200, "headers": {…}, "repeat": false,
//    and one of  "body": any JSON, or text                                  sent as it stands in the file
//                "body_base64": "…"                                         sent byte for byte
//                "events": [{"event": "…", "data": {…} or text, "delay_ms": N}, …]      server-sent events
//                "chunks": [{"base64": "…", "delay_ms": N}, …]              bytes and their times, as a recording has
//                them
//    "cut": true                                                            ends as a broken connection does}
//
// `when` may hold "model": text, "stream": bool, "tools": bool (the request offers tools), "tool_result": bool (it
// holds the result of one), "contains": text (in the body as sent).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sanduk {

struct CassettePiece {
  std::int64_t delay_ms = 0;
  std::string bytes;
};

struct CassetteCondition {
  std::optional<std::string> model;
  std::optional<bool> stream;
  std::optional<bool> tools;
  std::optional<bool> tool_result;
  std::optional<std::string> contains;
};

struct CassetteEntry {
  std::size_t line = 0;
  std::string method;
  std::string path;
  CassetteCondition when;
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<CassettePiece> pieces;
  bool streamed = false;  // sent without a length
  bool cut = false;
  bool repeat = false;
};

// Throws RunError (Failure::profile) with code "bad-cassette" and the place of the first fault.
std::vector<CassetteEntry> load_cassette(const std::string& path);

// The same for text that is at hand; `name` stands for the file in messages.
std::vector<CassetteEntry> parse_cassette(const std::string& name, std::string text);

}  // namespace sanduk
