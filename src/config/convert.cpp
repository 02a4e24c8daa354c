#include "config/convert.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "diagnostics/mask.h"

namespace sanduk {
namespace {

bool wrong_type(const Node& node, const std::string& name, const std::string& wanted, const std::string& help,
                Diagnostics& problems) {
  if (node.kind == Node::Kind::null) {
    problems.add(error("no-value", "`" + name + "` has no value")
                     .at(node.span)
                     .with_help("give " + wanted + ", or leave the key out"));
    return false;
  }
  problems.add(error("wrong-type", "`" + name + "` takes " + wanted + ", not " + masked(kind_name(node)))
                   .at(node.span)
                   .with_help(help));
  return false;
}

bool bad_value(const Node& node, const std::string& name, const std::string& why, const std::string& help,
               Diagnostics& problems) {
  problems.add(error("bad-value", "`" + name + "`: " + why).at(node.span).with_help(help));
  return false;
}

bool is_text(const Node& node) { return node.kind == Node::Kind::string; }

// TOML's integers: optional sign, no leading zero, single underscores between digits.
std::optional<std::int64_t> toml_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.starts_with('_') || text.ends_with('_') || text.find("__") != std::string_view::npos)
    return {};
  const std::string digits = replace_all(std::string(text), "_", "");
  if (digits.size() > 1 && digits.starts_with('0')) return {};
  const std::optional<std::int64_t> value = parse_decimal(digits);
  if (!value) return {};
  return negative ? -*value : *value;
}

std::optional<double> toml_float(std::string_view text) {
  const std::string digits = replace_all(std::string(text), "_", "");
  const bool plausible = !digits.empty() && digits.find_first_not_of("0123456789.+-eE") == std::string::npos &&
                         std::isdigit(static_cast<unsigned char>(digits.back())) &&
                         digits.find_first_of("0123456789") <= 1 &&
                         (digits[0] != '0' || digits.size() == 1 || digits[1] == '.');
  if (!plausible) return {};
  double value = 0;
  const char* begin = digits.data() + (digits[0] == '+' ? 1 : 0);
  const auto [end, failed] = std::from_chars(begin, digits.data() + digits.size(), value);
  if (failed != std::errc() || end != digits.data() + digits.size()) return {};
  return value;
}

// A number and one of the units; 0 units match "no unit".
struct Unit {
  std::string_view name;
  std::int64_t factor;
};

template <std::size_t N>
std::optional<std::int64_t> with_unit(std::string_view text, const std::array<Unit, N>& units) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<std::int64_t> number = parse_decimal(text.substr(0, digits));
  if (!number) return {};
  for (const Unit& unit : units) {
    if (text.substr(digits) != unit.name) continue;
    if (*number > INT64_MAX / unit.factor) return {};
    return *number * unit.factor;
  }
  return {};
}

constexpr std::array<Unit, 5> duration_units = {Unit{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
constexpr std::array<Unit, 12> size_units = {
    Unit{"B", 1},     {"K", 1LL << 10}, {"KiB", 1LL << 10}, {"k", 1LL << 10}, {"M", 1LL << 20}, {"MiB", 1LL << 20},
    {"m", 1LL << 20}, {"G", 1LL << 30}, {"GiB", 1LL << 30}, {"g", 1LL << 30}, {"T", 1LL << 40}, {"TiB", 1LL << 40}};

}  // namespace

bool convert(const Node& node, const std::string& name, const Origin&, std::string& into, Diagnostics& problems) {
  if (!is_text(node)) return wrong_type(node, name, "a string", "put the value in quotes", problems);
  into = node.text;
  return true;
}

bool convert(const Node& node, const std::string& name, const Origin&, bool& into, Diagnostics& problems) {
  if (node.kind == Node::Kind::boolean) {
    into = node.boolean;
    return true;
  }
  if (is_text(node) && node.plain && (node.text == "true" || node.text == "false")) {
    into = node.text == "true";
    return true;
  }
  return wrong_type(node, name, "true or false", "write `true` or `false`, without quotes", problems);
}

bool convert(const Node& node, const std::string& name, const Origin&, std::int64_t& into, Diagnostics& problems) {
  if (node.kind == Node::Kind::integer) {
    into = node.integer;
    return true;
  }
  if (is_text(node) && node.plain) {
    if (const std::optional<std::int64_t> value = toml_integer(node.text)) {
      into = *value;
      return true;
    }
  }
  return wrong_type(node, name, "a whole number", "write decimal digits, without quotes and leading zeros", problems);
}

bool convert(const Node& node, const std::string& name, const Origin& origin, double& into, Diagnostics& problems) {
  if (node.kind == Node::Kind::floating && std::isfinite(node.floating)) {
    into = node.floating;
    return true;
  }
  if (node.kind == Node::Kind::integer) {
    into = static_cast<double>(node.integer);
    return true;
  }
  if (is_text(node) && node.plain) {
    if (const std::optional<double> value = toml_float(node.text)) {
      into = *value;
      return true;
    }
  }
  static_cast<void>(origin);
  return wrong_type(node, name, "a number", "write a number such as 2 or 1.5, without quotes", problems);
}

bool convert(const Node& node, const std::string& name, const Origin&, Duration& into, Diagnostics& problems) {
  const std::string help = "write seconds or a number with s, m, h or d, such as 900, \"45s\", \"15m\" or \"2h\"";
  if (node.kind == Node::Kind::integer) {
    if (node.integer < 0) return bad_value(node, name, "a duration is not negative", help, problems);
    into.seconds = node.integer;
    return true;
  }
  if (!is_text(node)) return wrong_type(node, name, "a duration", help, problems);
  const std::optional<std::int64_t> seconds = with_unit(node.text, duration_units);
  if (!seconds) return bad_value(node, name, "not a duration", help, problems);
  into.seconds = *seconds;
  return true;
}

bool convert(const Node& node, const std::string& name, const Origin&, ByteSize& into, Diagnostics& problems) {
  const std::string help = "write a number with its unit, such as \"512M\" or \"4G\"";
  if (!is_text(node)) return wrong_type(node, name, "a size with its unit", help, problems);
  const std::optional<std::int64_t> bytes = with_unit(node.text, size_units);
  if (!bytes) return bad_value(node, name, "not a size with its unit", help, problems);
  into.bytes = *bytes;
  return true;
}

bool convert(const Node& node, const std::string& name, const Origin&, FilePath& into, Diagnostics& problems) {
  if (!is_text(node)) return wrong_type(node, name, "a path in quotes", "put the path in quotes", problems);
  if (node.text.empty())
    return bad_value(node, name, "an empty path", "name a file or directory, or leave the key out", problems);
  if (node.text.find('\0') != std::string::npos)
    return bad_value(node, name, "a path holds no NUL", "remove it", problems);
  into.text = node.text;
  return true;
}

bool convert(const Node& node, const std::string& name, const Origin&, TextList& into, Diagnostics& problems) {
  if (node.kind != Node::Kind::array) {
    return wrong_type(node, name, "a list of strings", "write a list, such as [\"one\", \"two\"]", problems);
  }
  TextList list;
  bool good = true;
  for (const Node& item : node.items) {
    if (is_text(item)) {
      list.push_back({item.text, item.span});
    } else if (item.kind == Node::Kind::null) {
      problems.add(error("no-value", "`" + name + "` holds an entry without a value")
                       .at(item.span)
                       .with_help("write the entry, or take it out"));
      good = false;
    } else {
      good = wrong_type(item, name, "a list of strings", "put every entry in quotes", problems);
    }
  }
  if (good) into = std::move(list);
  return good;
}

bool convert(const Node& node, const std::string& name, const Origin& origin, TextMap& into, Diagnostics& problems) {
  if (node.kind != Node::Kind::table) {
    return wrong_type(node, name, "a table of strings", "write NAME = \"value\" lines", problems);
  }
  bool good = true;
  for (const Entry& entry : node.entries) {
    Origin at = origin;
    at.span = entry.value.span;
    if (is_text(entry.value)) {
      into[entry.key] = {entry.value.text, at, entry.key_span};
    } else if (entry.value.kind == Node::Kind::boolean) {
      into[entry.key] = {render_value(entry.value.boolean), at, entry.key_span};
    } else if (entry.value.kind == Node::Kind::integer) {
      into[entry.key] = {render_value(entry.value.integer), at, entry.key_span};
    } else {
      good = wrong_type(entry.value, name + "." + entry.key, "a string", "put the value in quotes", problems);
    }
  }
  return good;
}

bool convert(const Node& node, const std::string& name, const Origin& origin, MountList& into, Diagnostics& problems) {
  TextList list;
  if (!convert(node, name, origin, list, problems)) return false;
  MountList mounts;
  bool good = true;
  for (const ListItem& item : list) {
    std::vector<std::string> parts = split(item.text, ':');
    MountRequest mount;
    mount.span = item.span;
    mount.directory = origin.directory;
    const bool has_mode = parts.size() == 3 && (parts[2] == "ro" || parts[2] == "rw");
    if ((parts.size() != 2 && !has_mode) || parts[0].empty() || !parts[1].starts_with("/")) {
      problems.add(
          error("bad-value", "`" + name + "`: not a mount")
              .at(item.span)
              .with_help("write HOST:DEST or HOST:DEST:ro, with an absolute DEST, such as \"~/data:/data:ro\""));
      good = false;
      continue;
    }
    mount.host = parts[0];
    mount.box = parts[1];
    mount.read_only = parts.size() == 3 && parts[2] == "ro";
    mounts.push_back(std::move(mount));
  }
  if (good) into = std::move(mounts);
  return good;
}

bool convert(const Node& node, const std::string& name, const Origin& origin, ListMap& into, Diagnostics& problems) {
  if (node.kind != Node::Kind::table) {
    return wrong_type(node, name, "a table of lists", "write NAME = [\"word\", \"word\"] lines", problems);
  }
  bool good = true;
  for (const Entry& entry : node.entries) {
    good = convert(entry.value, name + "." + entry.key, origin, into[entry.key], problems) && good;
  }
  return good;
}

std::string toml_string(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04X", byte);
      result += escape.data();
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string toml_key(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? key : toml_string(key);
}

std::string render_value(const std::string& value) { return toml_string(value); }
std::string render_value(const bool& value) { return value ? "true" : "false"; }
std::string render_value(const std::int64_t& value) { return std::to_string(value); }

std::string render_value(const double& value) {
  std::array<char, 32> text{};
  const auto [end, failed] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

std::string render_value(const Duration& value) {
  for (const Unit& unit : {Unit{"h", 3600}, Unit{"m", 60}}) {
    if (value.seconds > 0 && value.seconds % unit.factor == 0) {
      return "\"" + std::to_string(value.seconds / unit.factor) + std::string(unit.name) + "\"";
    }
  }
  return "\"" + std::to_string(value.seconds) + "s\"";
}

std::string render_value(const ByteSize& value) {
  for (const Unit& unit : {Unit{"G", 1LL << 30}, Unit{"M", 1LL << 20}, Unit{"K", 1LL << 10}}) {
    if (value.bytes > 0 && value.bytes % unit.factor == 0) {
      return "\"" + std::to_string(value.bytes / unit.factor) + std::string(unit.name) + "\"";
    }
  }
  return "\"" + std::to_string(value.bytes) + "B\"";
}

std::string render_value(const FilePath& value) { return toml_string(value.text); }

std::string render_value(const TextList& value) {
  std::vector<std::string> parts;
  for (const ListItem& item : value) parts.push_back(toml_string(item.text));
  return "[" + join(parts, ", ") + "]";
}

std::string render_value(const TextMap& value) {
  std::vector<std::string> parts;
  for (const auto& [key, item] : value) parts.push_back(toml_key(key) + " = " + toml_string(item.text));
  return parts.empty() ? "{}" : "{ " + join(parts, ", ") + " }";
}

std::string render_value(const ListMap& value) {
  std::vector<std::string> parts;
  for (const auto& [key, list] : value) parts.push_back(toml_key(key) + " = " + render_value(list));
  return parts.empty() ? "{}" : "{ " + join(parts, ", ") + " }";
}

std::string render_value(const MountList& value) {
  std::vector<std::string> parts;
  for (const MountRequest& mount : value) {
    parts.push_back(toml_string(mount.host + ":" + mount.box + (mount.read_only ? ":ro" : "")));
  }
  return "[" + join(parts, ", ") + "]";
}

}  // namespace sanduk
