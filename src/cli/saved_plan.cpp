#include "cli/saved_plan.h"

#include "base/files.h"
#include "base/json.h"
#include "plan/file_digest.h"
#include "plan/plan_json.h"
#include "resolve/ceiling.h"

namespace sanduk {
namespace {

constexpr std::size_t largest_plan = std::size_t{8} << 20;

}  // namespace

bool is_saved_plan(const std::string& name) {
  if (!name.ends_with(".json")) return false;
  FileResult<std::string> text = read_file(name, largest_plan);
  if (!text) return true;
  const Poco::JSON::Object::Ptr object = parse_json_object(*text);
  return object.isNull() ? text->find("\"sanduk_plan\"") != std::string::npos : object->has("sanduk_plan");
}

std::optional<Plan> read_plan_file(const Invocation& call, std::size_t index, Diagnostics& problems) {
  const std::string& name = call.words.at(index);
  FileResult<std::string> text = read_file(name, largest_plan);
  if (!text) {
    problems.add(error("unreadable-file", text.error().message)
                     .at(call.span_of_word(index))
                     .with_help("write a plan with: sanduk plan PROFILE -o FILE"));
    return std::nullopt;
  }
  return read_plan_json(*text, name, problems);
}

std::optional<Plan> read_saved_plan(const Invocation& call, World& world, Diagnostics& problems) {
  for (const Entry& entry : call.line.settings.root.entries) {
    problems.add(error("no-effect", "a saved plan is run as it is: settings have no effect on it")
                     .at(entry.key_span)
                     .with_help("apply the profile instead, or write the plan anew"));
  }
  if (call.words.size() > 1) {
    problems.add(
        error("usage", "one plan at a time").at(call.span_of_word(1)).with_help("apply them one after the other"));
  }
  std::optional<Plan> plan = read_plan_file(call, 0, problems);
  if (!plan) return plan;
  check_files(*plan, problems);
  apply_ceilings(load_policies(world, problems), nullptr, *plan, problems);
  return plan;
}

}  // namespace sanduk
