#include "config/node.h"

#include <utility>

namespace sanduk {

const Entry* Node::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

Entry* Node::find(std::string_view key) { return const_cast<Entry*>(std::as_const(*this).find(key)); }

std::string kind_name(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::boolean:
      return "a boolean";
    case Node::Kind::integer:
      return "an integer";
    case Node::Kind::floating:
      return "a number with a fraction";
    case Node::Kind::string:
      return node.plain ? "`" + node.text + "`" : "a string";
    case Node::Kind::datetime:
      return "a date or time";
    case Node::Kind::array:
      return "an array";
    case Node::Kind::table:
      return "a table";
  }
  return "a value";
}

}  // namespace sanduk
