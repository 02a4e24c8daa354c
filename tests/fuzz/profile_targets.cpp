#include <algorithm>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "config/argv.h"
#include "config/assign.h"
#include "config/reader.h"
#include "diagnostics/render.h"
#include "fuzz/targets.h"
#include "plan/plan_json.h"
#include "profile/interpolate.h"
#include "profile/profile_fields.h"

namespace sanduk::test {
namespace {

// A machine without variables.
class EmptyWorld : public World {
 public:
  std::optional<std::string> variable(const std::string&) const override { return std::nullopt; }
  std::filesystem::path current_directory() const override { return "/work"; }
};

// Whatever the text was, it can be said, and `--json` is JSON.
void check_words(const Diagnostics& problems) {
  for (const Diagnostic& problem : problems.sorted()) {
    must(!problem.code.empty() && !problem.message.empty());
  }
  must(render_text(problems).find('\x1b') == std::string::npos);
  must(!parse_json_object(render_json(problems)).isNull());
}

std::size_t depth(const Node& node) {
  std::size_t deepest = 0;
  for (const Node& item : node.items) deepest = std::max(deepest, depth(item));
  for (const Entry& entry : node.entries) deepest = std::max(deepest, depth(entry.value));
  return deepest + 1;
}

std::optional<Document> read_bytes(std::string_view bytes, Format format, Diagnostics& problems) {
  const auto source = std::make_shared<Source>(Source{"fuzz", std::string(bytes)});
  return read_document(source, format, "/work", problems);
}

// What the profile says, as `sanduk show` writes it.
std::string shown(const Profile& profile) {
  std::string text;
  for (const Field<Profile>& row : profile_fields()) {
    if (row.origin(profile).layer == Layer::file) text += row.path + " = " + row.value(profile) + "\n";
  }
  return text;
}

// A profile without a fault means the same when it is read again as it is shown.
void check_shown(const Profile& profile) {
  const std::string text = shown(profile);
  Diagnostics problems;
  const std::optional<Document> document = read_bytes(text, Format::toml, problems);
  must(document.has_value());
  Profile again;
  assign_document(profile_fields(), *document, Layer::file, again, problems);
  must(!problems.has_errors() && shown(again) == text);
}

void fuzz_reader(std::string_view bytes, Format format) {
  Diagnostics problems;
  std::optional<Document> document = read_bytes(bytes, format, problems);
  must(document.has_value() != problems.has_errors());
  check_words(problems);
  if (!document) return;
  must(document->root.kind == Node::Kind::table && depth(document->root) <= deepest_document + 1);
  EmptyWorld world;
  interpolate(*document, world, problems);
  Profile profile;
  assign_document(profile_fields(), *document, Layer::file, profile, problems);
  check_words(problems);
  if (!problems.has_errors()) check_shown(profile);
}

}  // namespace

void fuzz_toml(std::string_view bytes) { fuzz_reader(bytes, Format::toml); }
void fuzz_yaml(std::string_view bytes) { fuzz_reader(bytes, Format::yaml); }
void fuzz_json(std::string_view bytes) { fuzz_reader(bytes, Format::json); }

void fuzz_argv(std::string_view bytes) {
  static const std::vector<FlagRule> rules = profile_flags();
  Diagnostics problems;
  // An argument holds no NUL: the system ends it there.
  std::vector<std::string> arguments = split(std::string(bytes.substr(0, bytes.find('\0'))), '\n');
  const CommandLine line = read_argv(arguments, rules, "/work", problems);
  must(line.words.size() == line.word_spans.size() && line.words.size() <= arguments.size());
  Profile profile;
  assign_document(profile_fields(), line.settings, Layer::flag, profile, problems);
  check_words(problems);
}

void fuzz_plan(std::string_view bytes) {
  Diagnostics problems;
  const std::optional<Plan> plan = read_plan_json(bytes, "fuzz", problems);
  must(plan.has_value() != problems.has_errors());
  check_words(problems);
  if (!plan) return;
  const std::string text = write_plan_json(*plan);
  const std::optional<Plan> again = read_plan_json(text, "fuzz", problems);
  must(again && write_plan_json(*again) == text);
}

const std::vector<FuzzTarget>& profile_fuzz_targets() {
  static const std::vector<FuzzTarget> targets = {
      {"toml", fuzz_toml}, {"yaml", fuzz_yaml}, {"json", fuzz_json}, {"argv", fuzz_argv}, {"plan", fuzz_plan},
  };
  return targets;
}

}  // namespace sanduk::test
