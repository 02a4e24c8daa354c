#include "relay/cassette.h"

#include <algorithm>
#include <array>
#include <memory>

#include "base/files.h"
#include "base/text.h"
#include "diagnostics/diagnostic.h"
#include "relay/base64.h"
#include "relay/http_head.h"
#include "relay/json_scanner.h"
#include "relay/refusal.h"

namespace sanduk {
namespace {

constexpr std::size_t most_bytes = std::size_t{512} << 20;
constexpr std::size_t depth = 256;
constexpr std::size_t most_elements = 10'000'000;
constexpr std::array<std::string_view, 4> body_keys = {"body", "body_base64", "events", "chunks"};
constexpr std::array<std::string_view, 10> entry_keys = {"route",       "when",   "status", "headers", "body",
                                                         "body_base64", "events", "chunks", "repeat",  "cut"};
constexpr std::array<std::string_view, 5> condition_keys = {"model", "stream", "tools", "tool_result", "contains"};
constexpr std::array<std::string_view, 4> event_keys = {"event", "data", "delay_ms", "id"};
constexpr std::array<std::string_view, 2> chunk_keys = {"base64", "delay_ms"};

template <std::size_t N>
std::string list(const std::array<std::string_view, N>& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

// Reads one line of a cassette. Places are offsets in the line until a fault makes a span of them.
class EntryReader {
 public:
  EntryReader(std::shared_ptr<const Source> source, std::size_t line, std::string_view text)
      : source_(std::move(source)), line_(line), text_(text) {}

  CassetteEntry read() {
    entry_.line = line_;
    read_object({JsonKind::object, 0, text_.size()}, entry_keys, [&](const JsonMember& one) { read_field(one); });
    if (entry_.path.empty()) fail("the entry has no \"route\"", 0, "add \"route\": \"POST /v1/messages\"");
    if (bodies_ > 1) fail("the entry has more than one of body, body_base64, events and chunks", 0, "keep one of them");
    if (entry_.streamed && !has_header("content-type") && events_)
      entry_.headers.emplace_back("content-type", "text/event-stream");
    if (json_body_ && !has_header("content-type")) entry_.headers.emplace_back("content-type", "application/json");
    return std::move(entry_);
  }

 private:
  [[noreturn]] void fail(std::string message, std::size_t at, std::string help = "") {
    Span span;
    span.source = source_;
    span.line = line_;
    const std::string_view before = text_.substr(0, std::min(at, text_.size()));
    span.column = 1 + static_cast<std::size_t>(std::count_if(before.begin(), before.end(), [](char c) {
                    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
                  }));
    throw RunError(Failure::profile, error("bad-cassette", std::move(message)).at(span).with_help(std::move(help)));
  }

  template <std::size_t N, class Take>
  void read_object(const JsonValue& value, const std::array<std::string_view, N>& keys, Take take) {
    if (value.kind != JsonKind::object) fail("an object is expected here", value.begin);
    JsonObject object;
    if (const std::optional<JsonFault> fault = scan_object(value.in(text_), {}, depth, object)) {
      fail("the line is not a JSON object: " + fault->why, value.begin + fault->at);
    }
    for (std::size_t i = 0; i < object.members.size(); ++i) {
      JsonMember one = object.members[i];
      one.key_begin += value.begin;
      one.value.begin += value.begin;
      one.value.end += value.begin;
      if (std::find(keys.begin(), keys.end(), one.name) == keys.end()) {
        fail("unknown key \"" + printable(one.name) + "\"", one.key_begin, "known here: " + list(keys));
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (object.members[j].name == one.name) fail("the key \"" + one.name + "\" stands twice", one.key_begin);
      }
      take(one);
    }
  }

  template <class Take>
  void read_array(const JsonValue& value, Take take) {
    if (value.kind != JsonKind::array) fail("a list is expected here", value.begin);
    std::vector<JsonValue> elements;
    if (scan_array(value.in(text_), depth, most_elements, elements)) fail("a list is expected here", value.begin);
    for (JsonValue one : elements) {
      one.begin += value.begin;
      one.end += value.begin;
      take(one);
    }
  }

  std::string text(const JsonValue& value) {
    if (value.kind != JsonKind::string) fail("text is expected here", value.begin);
    std::optional<std::string> result = unescape_json(value.in(text_));
    if (!result) fail("broken text: a surrogate stands alone", value.begin);
    return *result;
  }

  bool boolean(const JsonValue& value) {
    if (value.kind != JsonKind::boolean) fail("true or false is expected here", value.begin);
    return value.in(text_) == "true";
  }

  std::int64_t whole(const JsonValue& value, std::int64_t least, std::int64_t most) {
    const std::optional<std::int64_t> number =
        value.kind == JsonKind::number ? parse_decimal(value.in(text_)) : std::nullopt;
    if (!number || *number < least || *number > most) {
      fail("a whole number from " + std::to_string(least) + " to " + std::to_string(most) + " is expected here",
           value.begin);
    }
    return *number;
  }

  std::string base64(const JsonValue& value) {
    const std::optional<std::string> bytes = decode_base64(text(value));
    if (!bytes) fail("broken base64", value.begin);
    return *bytes;
  }

  bool has_header(std::string_view name) const {
    return std::any_of(entry_.headers.begin(), entry_.headers.end(),
                       [&](const auto& header) { return equal_ignoring_case(header.first, name); });
  }

  void read_field(const JsonMember& one) {
    const JsonValue& value = one.value;
    if (std::find(body_keys.begin(), body_keys.end(), one.name) != body_keys.end()) ++bodies_;
    if (one.name == "route") read_route(value);
    if (one.name == "when") read_object(value, condition_keys, [&](const JsonMember& part) { read_condition(part); });
    if (one.name == "status") entry_.status = static_cast<int>(whole(value, 200, 599));
    if (one.name == "headers") read_headers(value);
    if (one.name == "repeat") entry_.repeat = boolean(value);
    if (one.name == "cut") entry_.cut = boolean(value);
    if (one.name == "body_base64") entry_.pieces.push_back({0, base64(value)});
    if (one.name == "body") {
      json_body_ = value.kind != JsonKind::string;
      entry_.pieces.push_back({0, json_body_ ? std::string(value.in(text_)) : text(value)});
    }
    if (one.name == "events") {
      entry_.streamed = events_ = true;
      read_array(value, [&](const JsonValue& event) { read_event(event); });
    }
    if (one.name == "chunks") {
      entry_.streamed = true;
      read_array(value, [&](const JsonValue& chunk) { read_chunk(chunk); });
    }
  }

  void read_route(const JsonValue& value) {
    const std::vector<std::string> words = split(text(value), ' ');
    if (words.size() != 2 || !is_token(words[0]) || !words[1].starts_with("/") ||
        words[1].find('?') != std::string::npos) {
      fail("a route is a method and a path", value.begin, "write \"POST /v1/messages\"; the query is not part of it");
    }
    entry_.method = words[0];
    entry_.path = words[1];
  }

  void read_condition(const JsonMember& one) {
    if (one.name == "model") entry_.when.model = text(one.value);
    if (one.name == "stream") entry_.when.stream = boolean(one.value);
    if (one.name == "tools") entry_.when.tools = boolean(one.value);
    if (one.name == "tool_result") entry_.when.tool_result = boolean(one.value);
    if (one.name == "contains") entry_.when.contains = text(one.value);
  }

  void add_header(const std::string& name, const JsonValue& value, std::size_t key_begin) {
    const std::string content = text(value);
    const bool clean = std::none_of(content.begin(), content.end(), [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    });
    if (!is_token(name) || !clean) fail("a header that cannot be sent", key_begin);
    entry_.headers.emplace_back(name, content);
  }

  void read_headers(const JsonValue& value) {
    if (value.kind != JsonKind::object) fail("an object is expected here", value.begin);
    JsonObject object;
    scan_object(value.in(text_), {}, depth, object);
    for (JsonMember& one : object.members) {
      one.value.begin += value.begin;
      one.value.end += value.begin;
      if (one.value.kind == JsonKind::array) {
        read_array(one.value, [&](const JsonValue& part) { add_header(one.name, part, value.begin + one.key_begin); });
      } else {
        add_header(one.name, one.value, value.begin + one.key_begin);
      }
    }
  }

  void read_event(const JsonValue& value) {
    CassettePiece piece;
    std::string name;
    std::string id;
    std::optional<std::string> data;
    read_object(value, event_keys, [&](const JsonMember& one) {
      if (one.name == "event") name = text(one.value);
      if (one.name == "id") id = text(one.value);
      if (one.name == "delay_ms") piece.delay_ms = whole(one.value, 0, 3'600'000);
      if (one.name == "data")
        data = one.value.kind == JsonKind::string ? text(one.value) : std::string(one.value.in(text_));
    });
    if ((name + id).find_first_of("\r\n") != std::string::npos) fail("a line break in an event's name", value.begin);
    if (!name.empty()) piece.bytes += "event: " + name + "\n";
    if (!id.empty()) piece.bytes += "id: " + id + "\n";
    if (data) piece.bytes += "data: " + replace_all(*data, "\n", "\ndata: ") + "\n";
    piece.bytes += "\n";
    entry_.pieces.push_back(std::move(piece));
  }

  void read_chunk(const JsonValue& value) {
    CassettePiece piece;
    read_object(value, chunk_keys, [&](const JsonMember& one) {
      if (one.name == "base64") piece.bytes = base64(one.value);
      if (one.name == "delay_ms") piece.delay_ms = whole(one.value, 0, 3'600'000);
    });
    entry_.pieces.push_back(std::move(piece));
  }

  std::shared_ptr<const Source> source_;
  std::size_t line_;
  std::string_view text_;
  CassetteEntry entry_;
  int bodies_ = 0;
  bool events_ = false;
  bool json_body_ = false;
};

}  // namespace

std::vector<CassetteEntry> parse_cassette(const std::string& name, std::string text) {
  const auto source = std::make_shared<const Source>(Source{name, std::move(text)});
  std::vector<CassetteEntry> entries;
  std::size_t line = 0;
  for (std::string_view rest = source->text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view content = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    ++line;
    if (!trim(content).empty()) entries.push_back(EntryReader(source, line, content).read());
  }
  if (entries.empty()) {
    Span span;
    span.source = source;
    throw RunError(Failure::profile,
                   error("bad-cassette", name + " holds no answer")
                       .at(span)
                       .with_help("put one JSON object on each line, with a \"route\" and a \"body\""));
  }
  return entries;
}

std::vector<CassetteEntry> load_cassette(const std::string& path) {
  FileResult<std::string> text = read_file(path, most_bytes);
  if (!text) throw RunError(Failure::profile, error("bad-cassette", text.error().message));
  return parse_cassette(path, std::move(*text));
}

}  // namespace sanduk
