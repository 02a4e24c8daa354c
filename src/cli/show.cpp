// sanduk show FILE
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/profile_call.h"
#include "diagnostics/mask.h"
#include "profile/profile_fields.h"

namespace sanduk {
namespace {

std::string show_json(const Profile& profile) {
  JsonWriter json(2);
  json.begin_object().key("settings").begin_array();
  for (const Field<Profile>& field : profile_fields()) {
    const Origin& origin = field.origin(profile);
    json.begin_object();
    json.field("key", field.path);
    json.field("value", masked(field.value(profile)));
    json.field("set", origin.layer != Layer::default_value);
    json.field("origin", origin_text(origin));
    json.end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

// TOML, with the origin of each value behind it, so that what is shown can be read and used.
std::string show_text(const Profile& profile) {
  std::string text;
  std::string table;
  for (const Field<Profile>& field : profile_fields()) {
    const Origin& origin = field.origin(profile);
    const std::string value = masked(field.value(profile));
    const bool is_set = origin.layer != Layer::default_value;
    const bool has_value = !value.empty() && value != "\"\"" && value != "[]" && value != "{}" && value != "0";
    if (!is_set && !has_value) continue;
    const std::size_t dot = field.path.find('.');
    const std::string parent = dot == std::string::npos ? "" : field.path.substr(0, dot);
    if (parent != table) text += "\n[" + parent + "]\n";
    table = parent;
    const std::string line =
        (dot == std::string::npos ? field.path : field.path.substr(dot + 1)) + " = " + printable(value);
    text += line + std::string(line.size() < 46 ? 46 - line.size() : 1, ' ') + "  # " + printable(origin_text(origin)) +
            "\n";
  }
  return text;
}

}  // namespace

int run_show(const Invocation& call, World& world) {
  Diagnostics problems;
  const Profile profile = read_profile(call, call.words, world, problems);
  const int code = report_problems(problems, call.terminal);
  if (code != exit_done) return code;
  print_result(call.has("--json") ? show_json(profile) : show_text(profile));
  return exit_done;
}

}  // namespace sanduk
