#include "relay/request_facts.h"

#include "base/text.h"
#include "relay/json_path_reader.h"

namespace sanduk {

RequestFacts read_request_facts(std::string_view body) {
  RequestFacts facts;
  JsonPathReader reader([&](std::string_view path, std::string_view scalar) {
    if (path == "model") facts.model = scalar;
    if (path == "stream") facts.stream = scalar == "true";
    if (path == "tools.[].name" || path == "tools.[].type" || path == "tools.[].function.name") facts.tools = true;
    if (scalar == "tool_result" && path == "messages.[].content.[].type") facts.tool_result = true;  // anthropic
    if (scalar == "tool" && path == "messages.[].role") facts.tool_result = true;                    // chat
    if (scalar == "function_call_output" && path == "input.[].type") facts.tool_result = true;       // responses
  });
  for (const std::string_view path : {"model", "stream", "tools.[].name", "tools.[].type", "tools.[].function.name",
                                      "messages.[].content.[].type", "messages.[].role", "input.[].type"}) {
    reader.watch(path);
  }
  reader.feed(body);
  return facts;
}

std::string describe(const RequestFacts& facts) {
  std::string text = facts.model.empty() ? "no model" : "model " + printable(facts.model);
  text += facts.stream ? ", streamed" : ", not streamed";
  text += facts.tools ? ", with tools" : ", without tools";
  text += facts.tool_result ? ", holding a tool result" : "";
  return text;
}

}  // namespace sanduk
