#include "container/apple_answers.h"

#include <Poco/Dynamic/Var.h>
#include <Poco/JSON/Parser.h>

#include "base/json.h"
#include "base/text.h"
#include "diagnostics/diagnostic.h"

namespace sanduk {
namespace {

using Object = Poco::JSON::Object::Ptr;
using Array = Poco::JSON::Array::Ptr;

RunError unreadable(const std::string& what, std::string_view answer) {
  Diagnostic diagnostic = error("engine-answer", "what the engine says of its " + what + " cannot be read");
  diagnostic.note("it begins with `" + printable(trim(answer).substr(0, 200)) + "`");
  return {Failure::host, diagnostic};
}

std::vector<Object> objects_in(std::string_view answer, const std::string& what) {
  std::vector<Object> objects;
  try {
    Poco::JSON::Parser parser;
    const Array list = parser.parse(std::string(answer)).extract<Array>();
    for (std::size_t i = 0; i < list->size(); ++i) {
      Object object = list->getObject(static_cast<unsigned>(i));
      if (object.isNull()) throw unreadable(what, answer);
      objects.push_back(object);
    }
  } catch (const Poco::Exception&) {
    throw unreadable(what, answer);
  }
  return objects;
}

// Versions before 1.0 have the word itself, later ones an object that holds it. A stopped one has ended.
std::string status_of(const Object& container) {
  std::string word = json_text(container, "status").value_or("");
  if (const Object status = json_object(container, "status")) word = json_text(status, "state").value_or("");
  return word == "stopped" ? "exited" : word;
}

}  // namespace

std::optional<ListedBox> from_labels(const std::string& name, const std::string& state, const Object& labels) {
  if (labels.isNull()) return std::nullopt;
  const auto label = [&](std::string_view key) { return json_text(labels, std::string(key)).value_or(""); };
  if (name.empty() || label(label_run).empty()) return std::nullopt;
  return ListedBox{name,
                   state,
                   label(label_run),
                   parse_decimal(label(label_owner_pid)).value_or(0),
                   label(label_owner_start),
                   label(label_state)};
}

std::vector<ListedBox> read_apple_list(std::string_view output) {
  std::vector<ListedBox> boxes;
  for (const Object& container : objects_in(output, "containers")) {
    const Object configuration = json_object(container, "configuration");
    if (configuration.isNull()) throw unreadable("containers", output);
    const std::string name = json_text(configuration, "id").value_or("");
    if (name.empty()) throw unreadable("containers", output);
    if (auto box = from_labels(name, status_of(container), json_object(configuration, "labels"))) boxes.push_back(*box);
  }
  return boxes;
}

std::string read_apple_status(std::string_view answer) {
  const std::vector<Object> containers = objects_in(answer, "container");
  return containers.empty() ? "" : status_of(containers.front());
}

ImageAnswer read_apple_image(std::string_view answer) {
  const std::vector<Object> images = objects_in(answer, "images");
  if (images.empty()) throw unreadable("images", answer);
  ImageAnswer image;
  const Object& first = images.front();
  for (const char* where : {"index", "configuration"}) {
    Object at = json_object(first, where);
    if (at.isNull()) continue;
    if (const Object descriptor = json_object(at, "descriptor")) at = descriptor;
    if (image.id.empty()) image.id = json_text(at, "digest").value_or("");
  }
  const Array variants = json_array(first, "variants");
  for (std::size_t i = 0; !variants.isNull() && i < variants->size(); ++i) {
    Object at = variants->getObject(static_cast<unsigned>(i));
    for (const char* member : {"config", "config", "Labels"}) {
      if (!at.isNull()) at = json_object(at, member);
    }
    if (!at.isNull() && image.agent_uid.empty()) image.agent_uid = json_text(at, "sanduk.agent-uid").value_or("");
  }
  return image;
}

}  // namespace sanduk
