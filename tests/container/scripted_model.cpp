#include "scripted_model.h"

#include <regex>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace sanduk::test {
namespace {

using Object = Poco::JSON::Object::Ptr;

// What the model wants next: a command for the agent's shell, or words.
struct Turn {
  std::string tool;       // empty: the last words
  std::string arguments;  // JSON
  std::string id = "1";   // of the call: Claude Code drops a second one of the same name from its history
};

constexpr const char* last_words = "The digest is in REPORT.md.";

struct ShellTool {
  std::string name;
  Object schema;
};

bool is_shell(const std::string& name) {
  for (const char* known : {"bash", "shell", "exec_command", "shell_command", "run_shell_command"}) {
    if (lower(name) == known) return true;
  }
  return false;
}

// The tool that runs a command, among those that the agent offers; each protocol nests its declarations otherwise.
ShellTool find_shell(const Object& declarations, const char* list = "tools") {
  const Poco::JSON::Array::Ptr tools = json_array(declarations, list);
  for (std::size_t i = 0; tools && i < tools->size(); ++i) {
    const Object tool = tools->getObject(static_cast<unsigned>(i));
    if (tool.isNull()) continue;
    if (const ShellTool nested = find_shell(tool, "functionDeclarations"); !nested.name.empty()) return nested;
    const Object inner = json_object(tool, "function").isNull() ? tool : json_object(tool, "function");
    const std::string name = json_text(inner, "name").value_or("");
    if (!is_shell(name)) continue;
    for (const char* schema : {"parameters", "input_schema", "parametersJsonSchema"}) {
      if (const Object found = json_object(inner, schema); !found.isNull()) return {name, found};
    }
    return {name, {}};
  }
  return {};
}

std::string arguments_for(const ShellTool& tool, const std::string& command) {
  JsonWriter json;
  json.begin_object();
  const Object properties = json_object(tool.schema, "properties");
  for (const char* name : {"command", "cmd"}) {
    const Object property = json_object(properties, name);
    if (property.isNull()) continue;
    if (json_text(property, "type") == "array") {
      json.field(name, std::vector<std::string>{"bash", "-lc", command});
    } else {
      json.field(name, command);
    }
  }
  const Poco::JSON::Array::Ptr required = json_array(tool.schema, "required");
  for (std::size_t i = 0; required && i < required->size(); ++i) {
    const std::string name = required->getElement<std::string>(static_cast<unsigned>(i));
    if (name == "command" || name == "cmd") continue;
    const std::string type = json_text(json_object(properties, name), "type").value_or("");
    if (type == "boolean") {
      json.field(name, false);
    } else if (type == "number" || type == "integer") {
      json.field(name, 10000);
    } else {
      json.field(name, "run it");
    }
  }
  json.end_object();
  return json.text();
}

Turn next_turn(const std::string& body, const Object& request) {
  const ShellTool shell = find_shell(request);
  if (shell.name.empty()) return {};
  static const std::regex digest("digest=([0-9a-f]{64})");
  std::smatch found;
  if (!std::regex_search(body, found, digest)) return {shell.name, arguments_for(shell, "sh digest.sh")};
  // Some write the sign as an escape.
  for (const char* written : {"> REPORT.md", "\\u003e REPORT.md", "\\u003E REPORT.md"}) {
    if (body.find(written) != std::string::npos) return {};
  }
  return {shell.name, arguments_for(shell, "echo " + found[1].str() + " > REPORT.md"), "2"};
}

std::string number(int value) { return std::to_string(value); }

std::string event(const std::string& type, const std::string& members) {
  return "event: " + type + "\ndata: {\"type\":\"" + type + "\"" + (members.empty() ? "" : ",") + members + "}\n\n";
}

// Anthropic Messages: cached tokens are not in input_tokens.
const std::string messages_usage =
    "{\"input_tokens\":" + number(ScriptedModel::input_tokens) +
    ",\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":" + number(ScriptedModel::cached_tokens) +
    ",\"output_tokens\":" + number(ScriptedModel::output_tokens) + "}";

std::string messages_message(const std::string& content, const std::string& stop) {
  return R"({"id":"msg_1","type":"message","role":"assistant","model":"m","content":)" + content +
         R"(,"stop_reason":)" + stop + R"(,"stop_sequence":null,"usage":)" + messages_usage + "}";
}

std::vector<std::string> messages_parts(const Turn& turn, bool stream) {
  const bool done = turn.tool.empty();
  const std::string stop = done ? "\"end_turn\"" : "\"tool_use\"";
  const std::string open =
      done ? R"({"type":"text","text":"")"
           : R"({"type":"tool_use","id":"toolu_)" + turn.id + R"(","name":)" + json_string(turn.tool);
  if (!stream) {
    const std::string block = done ? R"({"type":"text","text":)" + json_string(last_words) + "}"
                                   : open + ",\"input\":" + turn.arguments + "}";
    return {messages_message("[" + block + "]", stop)};
  }
  const std::string delta = done ? R"({"type":"text_delta","text":)" + json_string(last_words)
                                 : R"({"type":"input_json_delta","partial_json":)" + json_string(turn.arguments);
  return {event("message_start", "\"message\":" + messages_message("[]", "null")),
          event("content_block_start", "\"index\":0,\"content_block\":" + open + (done ? "}" : ",\"input\":{}}")),
          event("content_block_delta", "\"index\":0,\"delta\":" + delta + "}"),
          event("content_block_stop", "\"index\":0"),
          event("message_delta", "\"delta\":{\"stop_reason\":" + stop +
                                     ",\"stop_sequence\":null},\"usage\":{\"output_tokens\":" +
                                     number(ScriptedModel::output_tokens) + "}"),
          event("message_stop", "")};
}

std::vector<std::string> chat_parts(const Turn& turn, bool stream) {
  const bool done = turn.tool.empty();
  const std::string usage = "{\"prompt_tokens\":" + number(ScriptedModel::input_tokens) +
                            ",\"completion_tokens\":" + number(ScriptedModel::output_tokens) +
                            ",\"total_tokens\":" + number(ScriptedModel::input_tokens + ScriptedModel::output_tokens) +
                            ",\"prompt_tokens_details\":{\"cached_tokens\":" + number(ScriptedModel::cached_tokens) +
                            "}}";
  const std::string message =
      done ? R"({"role":"assistant","content":)" + json_string(last_words) + "}"
           : R"({"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_)" + turn.id +
                 R"(","type":"function",)"
                 R"("function":{"name":)" +
                 json_string(turn.tool) + ",\"arguments\":" + json_string(turn.arguments) + "}}]}";
  const std::string finish = done ? "\"stop\"" : "\"tool_calls\"";
  const std::string head = R"({"id":"c1","created":1,"model":"m","object":"chat.completion)";
  if (!stream) {
    return {head + R"(","choices":[{"index":0,"message":)" + message + ",\"finish_reason\":" + finish +
            "}],\"usage\":" + usage + "}"};
  }
  const auto chunk = [&](const std::string& delta, const std::string& reason) {
    return "data: " + head + R"(.chunk","choices":[{"index":0,"delta":)" + delta + ",\"finish_reason\":" + reason +
           "}]}\n\n";
  };
  return {chunk(message, "null"), chunk("{}", finish),
          "data: " + head + R"(.chunk","choices":[],"usage":)" + usage + "}\n\n", "data: [DONE]\n\n"};
}

std::vector<std::string> responses_parts(const Turn& turn, bool stream) {
  const bool done = turn.tool.empty();
  const std::string usage = "{\"input_tokens\":" + number(ScriptedModel::input_tokens) +
                            ",\"input_tokens_details\":{\"cached_tokens\":" + number(ScriptedModel::cached_tokens) +
                            "},\"output_tokens\":" + number(ScriptedModel::output_tokens) +
                            ",\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":" +
                            number(ScriptedModel::input_tokens + ScriptedModel::output_tokens) + "}";
  const auto item = [&](const std::string& status, bool whole) {
    if (done) {
      const std::string text = R"({"type":"output_text","annotations":[],"text":)" + json_string(last_words) + "}";
      return R"({"type":"message","id":"m1","role":"assistant","status":")" + status + R"(","content":[)" +
             (whole ? text : "") + "]}";
    }
    return R"({"type":"function_call","id":"f1","call_id":"call_)" + turn.id + R"(","status":")" + status +
           R"(","name":)" + json_string(turn.tool) +
           ",\"arguments\":" + (whole ? json_string(turn.arguments) : "\"\"") + "}";
  };
  const auto response = [&](const std::string& status, const std::string& output, const std::string& counts) {
    return R"({"id":"resp_1","object":"response","created_at":1,"model":"m","error":null,"incomplete_details":null,)"
           R"("status":")" +
           status + R"(","output":[)" + output + "],\"usage\":" + counts + "}";
  };
  const std::string whole = item("completed", true);
  if (!stream) return {response("completed", whole, usage)};
  std::vector<std::string> parts = {
      event("response.created", "\"sequence_number\":0,\"response\":" + response("in_progress", "", "null")),
      event("response.output_item.added",
            "\"sequence_number\":1,\"output_index\":0,\"item\":" + item("in_progress", false))};
  if (done) {
    const std::string at = R"("item_id":"m1","output_index":0,"content_index":0,)";
    parts.push_back(
        event("response.content_part.added",
              "\"sequence_number\":2," + at + R"("part":{"type":"output_text","text":"","annotations":[]})"));
    parts.push_back(
        event("response.output_text.delta", "\"sequence_number\":3," + at + "\"delta\":" + json_string(last_words)));
    parts.push_back(
        event("response.output_text.done", "\"sequence_number\":4," + at + "\"text\":" + json_string(last_words)));
  } else {
    const std::string at = R"("item_id":"f1","output_index":0,)";
    parts.push_back(event("response.function_call_arguments.delta",
                          "\"sequence_number\":2," + at + "\"delta\":" + json_string(turn.arguments)));
    parts.push_back(event("response.function_call_arguments.done",
                          "\"sequence_number\":3," + at + "\"arguments\":" + json_string(turn.arguments)));
  }
  parts.push_back(event("response.output_item.done", "\"sequence_number\":5,\"output_index\":0,\"item\":" + whole));
  parts.push_back(
      event("response.completed", "\"sequence_number\":6,\"response\":" + response("completed", whole, usage)));
  return parts;
}

std::vector<std::string> gemini_parts(const Turn& turn, bool stream) {
  const std::string part = turn.tool.empty() ? "{\"text\":" + json_string(last_words) + "}"
                                             : "{\"functionCall\":{\"name\":" + json_string(turn.tool) +
                                                   ",\"args\":" + turn.arguments + "}}";
  const std::string answer =
      R"({"candidates":[{"content":{"role":"model","parts":[)" + part +
      R"(]},"finishReason":"STOP","index":0}],"modelVersion":"m","usageMetadata":{"promptTokenCount":)" +
      number(ScriptedModel::input_tokens) + ",\"cachedContentTokenCount\":" + number(ScriptedModel::cached_tokens) +
      ",\"candidatesTokenCount\":" + number(ScriptedModel::output_tokens) +
      ",\"totalTokenCount\":" + number(ScriptedModel::input_tokens + ScriptedModel::output_tokens) + "}}";
  return {stream ? "data: " + answer + "\n\n" : answer};
}

std::vector<std::string> parts_of(const std::string& path, const Turn& turn, bool stream) {
  if (path.ends_with("/messages")) return messages_parts(turn, stream);
  if (path.find("enerateContent") != std::string::npos) return gemini_parts(turn, stream);
  if (path.ends_with("/responses")) return responses_parts(turn, stream);
  return chat_parts(turn, stream);
}

}  // namespace

bool ScriptedModel::heard(const std::string& word) const {
  const std::lock_guard lock(mutex_);
  return heard_.find(word) != std::string::npos;
}

ScriptedAnswer ScriptedModel::answer(const ScriptedRequest& request) {
  {
    constexpr std::size_t most_heard = std::size_t{8} << 20;
    const std::lock_guard lock(mutex_);
    if (heard_.size() < most_heard) heard_ += request.body;
  }
  if (request.method() != "POST") return ScriptedAnswer::json(200, R"({"object":"list","data":[]})");
  const std::string path = request.target().substr(0, request.target().find('?'));
  if (path.ends_with("/count_tokens")) return ScriptedAnswer::json(200, R"({"input_tokens":5})");
  if (path.ends_with(":countTokens")) return ScriptedAnswer::json(200, R"({"totalTokens":5})");
  const Object body = parse_json_object(request.body);
  const bool stream = json_boolean(body, "stream") == true || path.ends_with(":streamGenerateContent");
  if (fault_.kind != ScriptedFault::Kind::none && answers_ >= fault_.after &&
      (fault_.times < 0 || faults_ < fault_.times)) {
    ++faults_;
    return fail(stream);
  }
  ++answers_;
  const std::vector<std::string> parts = parts_of(path, next_turn(request.body, body), stream);
  if (!stream) return ScriptedAnswer::json(200, parts.front());
  ++streamed_;
  return ScriptedAnswer::events(parts);
}

ScriptedAnswer ScriptedModel::fail(bool stream) {
  switch (fault_.kind) {
    case ScriptedFault::Kind::bad_model:
      return ScriptedAnswer::json(404, R"({"type":"error","error":{"type":"not_found_error","code":"model_not_found",)"
                                       R"("param":"model","message":"there is no model of that name"}})");
    case ScriptedFault::Kind::too_many_requests:
      return ScriptedAnswer::json(429, R"({"type":"error","error":{"type":"rate_limit_error","message":"slow down"}})",
                                  "retry-after: 1\r\n");
    case ScriptedFault::Kind::cut_stream: {
      ScriptedAnswer answer;
      answer.send("HTTP/1.1 200 OK\r\ncontent-type: " + std::string(stream ? "text/event-stream" : "application/json") +
                  "\r\ntransfer-encoding: chunked\r\n\r\n");
      answer.chunk(stream ? "event: ping\ndata: {\"type\":\"ping\"}\n\n" : "{");
      return answer.reset();
    }
    default:
      return ScriptedAnswer().pause(std::chrono::minutes(5)).close();
  }
}

}  // namespace sanduk::test
