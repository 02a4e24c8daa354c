// What a recorded answer can ask of a request: which model, streamed or not, tools offered, the result of a tool held.
#pragma once

#include <string>
#include <string_view>

namespace sanduk {

struct RequestFacts {
  std::string model;
  bool stream = false;
  bool tools = false;
  bool tool_result = false;
};

// `body` is a judged body, or none. Knows all protocols: their fields do not collide.
RequestFacts read_request_facts(std::string_view body);

// For people: "model claude-x, streamed, with tools".
std::string describe(const RequestFacts& facts);

}  // namespace sanduk
