// sanduk diff A B: two profiles, plans or revisions of a profile, field by field.
#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/saved_plan.h"
#include "profile/git_file.h"
#include "profile/load.h"
#include "resolve/difference.h"
#include "resolve/probe.h"
#include "resolve/resolve.h"

namespace sanduk {
namespace {

// One of the two: a plan where the file is one, else a profile.
struct Side {
  std::optional<Plan> plan;
  Profile profile;
};

Side read_side(const Invocation& call, std::size_t index, World& world, Diagnostics& problems) {
  const std::string& name = call.words[index];
  Side side;
  if (const std::optional<RevisionFile> at = revision_file(name, world.current_directory())) {
    side.profile = load_profile_at(at->revision, at->file, world, problems);
    return side;
  }
  if (is_saved_plan(name)) {
    side.plan = read_plan_file(call, index, problems);
    return side;
  }
  side.profile = load_profile({name}, Document{}, world, problems);
  return side;
}

// A profile beside a plan: what it would do here and now.
void resolve_side(Side& side, World& world, Diagnostics& problems) {
  if (side.plan || problems.has_errors()) return;
  const Catalog catalog(world.config_directory("sanduk"));
  side.plan = resolve(side.profile, catalog, probe(side.profile, world), problems);
}

std::size_t count(const std::vector<Difference>& all, Change change) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Difference& one) { return one.change == change; }));
}

std::string value_line(const char* sign, const std::string& value, const std::string& origin) {
  const std::string text = value.empty() ? "(not set)" : value;
  return std::string("    ") + sign + " " + printable(text) + (origin.empty() ? "" : "  (" + printable(origin) + ")") +
         "\n";
}

std::string diff_text(const std::vector<Difference>& all) {
  std::string text;
  for (const Difference& one : all) {
    text += change_name(one.change) + std::string(9 - change_name(one.change).size(), ' ') + one.key + "\n";
    const bool is_list = !one.removed.empty() || !one.added.empty();
    if (!is_list || one.before.empty()) text += value_line("-", one.before, one.before_origin);
    for (const std::string& item : one.removed) text += value_line("-", item, one.before_origin);
    for (const std::string& item : one.added) text += value_line("+", item, one.after_origin);
    if (!is_list || one.after.empty()) text += value_line("+", one.after, one.after_origin);
  }
  if (all.empty()) return "no difference\n";
  return text + "\n" + std::to_string(count(all, Change::widens)) + " widen, " +
         std::to_string(count(all, Change::narrows)) + " narrow, " + std::to_string(count(all, Change::neutral)) +
         " neutral\n";
}

std::string diff_json(const std::vector<Difference>& all) {
  JsonWriter json(2);
  json.begin_object();
  json.field("widens", static_cast<std::int64_t>(count(all, Change::widens)));
  json.field("narrows", static_cast<std::int64_t>(count(all, Change::narrows)));
  json.field("neutral", static_cast<std::int64_t>(count(all, Change::neutral)));
  json.key("changes").begin_array();
  for (const Difference& one : all) {
    json.begin_object();
    json.field("key", one.key).field("change", change_name(one.change));
    json.field("before", one.before).field("after", one.after);
    json.field("removed", one.removed).field("added", one.added);
    json.field("before_origin", one.before_origin).field("after_origin", one.after_origin);
    json.end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

}  // namespace

int run_diff(const Invocation& call, World& world) {
  Diagnostics problems;
  Side before = read_side(call, 0, world, problems);
  Side after = read_side(call, 1, world, problems);
  const bool as_plans = before.plan || after.plan;
  if (as_plans) {
    resolve_side(before, world, problems);
    resolve_side(after, world, problems);
  }
  if (const int code = report_problems(problems, call.terminal); code != exit_done) return code;
  const std::vector<Difference> all =
      as_plans ? differences(*before.plan, *after.plan) : differences(before.profile, after.profile);
  print_result(call.has("--json") ? diff_json(all) : diff_text(all));
  return call.has("--fail-on-widening") && count(all, Change::widens) > 0 ? exit_agent_failed : exit_done;
}

}  // namespace sanduk
