// What readers of one JSON record a line share: cutting, telling, adding up. A format only takes records.
#pragma once

#include <string>

#include "agents/agent_reader.h"
#include "agents/json_lines.h"
#include "agents/line_splitter.h"

namespace sanduk {

class JsonLinesReader : public AgentReader {
 public:
  explicit JsonLinesReader(Listener listener) : listener_(std::move(listener)) {}

  void feed(std::string_view bytes) final { lines_.feed(bytes); }
  AgentResult finish() final;

 protected:
  using Object = Poco::JSON::Object::Ptr;
  using Array = Poco::JSON::Array::Ptr;
  using Kind = AgentEvent::Kind;

  virtual void take(const std::string& type, const Object& record) = 0;
  // A line that is no record.
  virtual void take_words(std::string_view) {}
  // After the last record: what makes it final, if no record said so by itself.
  virtual void end() {}

  // Tells the listener. Words of the model are also the result, until it says something else.
  void say(const std::string& text);
  void tool(const std::string& name, const Object& input);
  void error(const std::string& words);
  void retry(const std::string& words);
  void started(const std::string& model);
  // The record that ends the work, and what it says of a failure.
  void final_record();
  void failed(const std::string& words);

  static void add(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& value);
  static void add(std::optional<double>& sum, const std::optional<double>& value);

  AgentResult result_;

 private:
  void tell(Kind kind, std::string text, std::string tool = "");
  void take_line(std::string_view line);

  Listener listener_;
  LineSplitter lines_{[this](std::string_view line) { take_line(line); }};
};

// The objects of an array; what is no object is left out.
std::vector<Poco::JSON::Object::Ptr> json_objects(const Poco::JSON::Object::Ptr& object, const char* name);

}  // namespace sanduk
