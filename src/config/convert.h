// From a node of the tree to a typed value: strict, one overload a type, each fault told at its place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/node.h"
#include "config/setting.h"

namespace sanduk {

// How a value is written, for help, the reference and the JSON Schema.
enum class Shape { text, boolean, integer, number, duration, size, path, list, map, mounts, list_map };

// `name` is the setting's key path, for messages. Nothing on a fault, which is in `problems`.
// `convert` adds to `into` for maps (tables merge) and replaces for all others.
bool convert(const Node& node, const std::string& name, const Origin& origin, std::string& into, Diagnostics& problems);
bool convert(const Node& node, const std::string& name, const Origin& origin, bool& into, Diagnostics& problems);
bool convert(const Node& node, const std::string& name, const Origin& origin, std::int64_t& into,
             Diagnostics& problems);
bool convert(const Node& node, const std::string& name, const Origin& origin, double& into, Diagnostics& problems);
bool convert(const Node& node, const std::string& name, const Origin& origin, Duration& into, Diagnostics& problems);
bool convert(const Node& node, const std::string& name, const Origin& origin, ByteSize& into, Diagnostics& problems);
bool convert(const Node& node, const std::string& name, const Origin& origin, FilePath& into, Diagnostics& problems);
bool convert(const Node& node, const std::string& name, const Origin& origin, TextList& into, Diagnostics& problems);
bool convert(const Node& node, const std::string& name, const Origin& origin, TextMap& into, Diagnostics& problems);
bool convert(const Node& node, const std::string& name, const Origin& origin, MountList& into, Diagnostics& problems);
bool convert(const Node& node, const std::string& name, const Origin& origin, ListMap& into, Diagnostics& problems);

constexpr Shape shape_of(const std::string&) { return Shape::text; }
constexpr Shape shape_of(const bool&) { return Shape::boolean; }
constexpr Shape shape_of(const std::int64_t&) { return Shape::integer; }
constexpr Shape shape_of(const double&) { return Shape::number; }
constexpr Shape shape_of(const Duration&) { return Shape::duration; }
constexpr Shape shape_of(const ByteSize&) { return Shape::size; }
constexpr Shape shape_of(const FilePath&) { return Shape::path; }
constexpr Shape shape_of(const TextList&) { return Shape::list; }
constexpr Shape shape_of(const TextMap&) { return Shape::map; }
constexpr Shape shape_of(const MountList&) { return Shape::mounts; }
constexpr Shape shape_of(const ListMap&) { return Shape::list_map; }

// The value as TOML text, for `show` and for defaults in the reference.
std::string render_value(const std::string& value);
std::string render_value(const bool& value);
std::string render_value(const std::int64_t& value);
std::string render_value(const double& value);
std::string render_value(const Duration& value);
std::string render_value(const ByteSize& value);
std::string render_value(const FilePath& value);
std::string render_value(const TextList& value);
std::string render_value(const TextMap& value);
std::string render_value(const MountList& value);
std::string render_value(const ListMap& value);

// A TOML basic string, quotes included.
std::string toml_string(const std::string& text);

// A TOML key: bare where it may be, quoted otherwise.
std::string toml_key(const std::string& key);

}  // namespace sanduk
