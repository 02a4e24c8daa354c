// What a profile becomes: profile + words -> plan.json, for every shipped profile, every example and the cases here.
//
// tests/plans/NAME/ holds profile.toml and whatever it names, optional `args` (more words, one a line), and plan.json.
// Shipped profiles have their folder in tests/plans/shipped/, examples in tests/plans/examples/.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <thread>

#include "base/text.h"
#include "config/convert.h"
#include "config/reader.h"
#include "plan/plan_json.h"
#include "support/golden.h"
#include "support/tool.h"

namespace sanduk::test {
namespace {

namespace fs = std::filesystem;

const fs::path root = SANDUK_SOURCE_DIR;
const fs::path folder = root / "tests/plans";

struct Case {
  std::string name;     // of the folder below tests/plans
  fs::path from;        // what is copied into the work directory
  std::string profile;  // the profile's name in the copy
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "profile.toml"))
      cases.push_back({entry.path().filename(), entry.path(), "profile.toml"});
  }
  for (const auto& entry : fs::directory_iterator(root / "profiles")) {
    if (entry.path().extension() == ".toml")
      cases.push_back({"shipped/" + entry.path().stem().string(), root / "profiles", entry.path().filename()});
  }
  for (const auto& entry : fs::directory_iterator(root / "examples")) {
    if (fs::exists(entry.path() / "profile.toml"))
      cases.push_back({"examples/" + entry.path().filename().string(), entry.path(), "profile.toml"});
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

// A positioned tree as YAML that means the same: every string quoted, every key, so that no YAML word gets in.
std::string yaml_of(const Node& node) {
  std::vector<std::string> parts;
  switch (node.kind) {
    case Node::Kind::table:
      for (const Entry& entry : node.entries) parts.push_back(toml_string(entry.key) + ": " + yaml_of(entry.value));
      return "{" + join(parts, ", ") + "}";
    case Node::Kind::array:
      for (const Node& item : node.items) parts.push_back(yaml_of(item));
      return "[" + join(parts, ", ") + "]";
    case Node::Kind::boolean:
      return render_value(node.boolean);
    case Node::Kind::integer:
      return render_value(node.integer);
    case Node::Kind::floating:
      return render_value(node.floating);
    case Node::Kind::string:
      return toml_string(node.text);
    default:
      break;
  }
  ADD_FAILURE() << "no YAML for " << kind_name(node);
  return "";
}

void write_twin(const fs::path& toml, const fs::path& yaml) {
  Diagnostics problems;
  const std::optional<Document> document = read_document_file(toml, toml.string(), problems);
  ASSERT_TRUE(document) << toml;
  std::string text;
  for (const Entry& entry : document->root.entries) text += entry.key + ": " + yaml_of(entry.value) + "\n";
  std::ofstream(yaml) << text;
}

std::vector<std::string> words_of(const Case& one) {
  const fs::path file = folder / one.name / "args";
  std::vector<std::string> words;
  if (fs::exists(file)) words = split(std::string(trim(read_whole(file))), '\n');
  return words;
}

ToolRun plan_of(const Case& one, const Scratch& scratch, const std::string& profile) {
  std::vector<std::string> words = {"plan", profile, "--json"};
  for (const std::string& word : words_of(one)) words.push_back(word);
  return run_tool(scratch, words);
}

// What differs from one machine to another, by name. The digest covers all of it.
std::string portable(std::string text, const Scratch& scratch) {
  text = replace_all(text, scratch.work().string(), "{ROOT}");
  text = replace_all(text, scratch.home().string(), "{HOME}");
  text = std::regex_replace(text, std::regex(R"re("digest": "sha256:[0-9a-f]{64}")re"), R"re("digest": "{DIGEST}")re");
  text = std::regex_replace(text, std::regex(R"re("(uid|gid)": [0-9]+)re"), R"re("$1": "{UID}")re");
  text = std::regex_replace(text, std::regex(R"re(-u[0-9]+-[0-9a-f]{8}")re"), R"re(-u{UID}-{HASH}")re");
  text = std::regex_replace(text, std::regex(R"re(("AGENT_[UG]ID",\s*"value": )"[0-9]+")re"), R"re($1"{UID}")re");
  const unsigned here = std::max(1U, std::thread::hardware_concurrency());
  return replace_all(text, "\"cpus\": " + std::to_string(std::min(4U, here)) + ",", "\"cpus\": \"{CPUS}\",");
}

void prepare(const Case& one, const Scratch& scratch) {
  fs::copy(one.from, scratch.work(), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  fs::remove(scratch.work() / "plan.json");
}

class PlanOf : public testing::TestWithParam<Case> {};

TEST_P(PlanOf, IsAsExpected) {
  Scratch scratch;
  prepare(GetParam(), scratch);
  const ToolRun run = plan_of(GetParam(), scratch, GetParam().profile);
  ASSERT_EQ(run.code, 0) << run.errors;
  EXPECT_EQ(run.errors, "");
  EXPECT_EQ(difference_from(folder / GetParam().name / "plan.json", portable(run.output, scratch)), "");
  SKIP_WHEN_ACCEPTING();
}

TEST_P(PlanOf, IsTheSameFromYaml) {
  Scratch scratch;
  prepare(GetParam(), scratch);
  const fs::path toml = scratch.work() / GetParam().profile;
  const fs::path yaml = fs::path(toml).replace_extension(".yaml");
  if (!fs::exists(yaml)) write_twin(toml, yaml);
  const ToolRun from_toml = plan_of(GetParam(), scratch, toml.filename());
  const ToolRun from_yaml = plan_of(GetParam(), scratch, yaml.filename());
  EXPECT_EQ(from_toml.code, 0) << from_toml.errors;
  EXPECT_EQ(from_yaml.code, 0) << from_yaml.errors;
  EXPECT_EQ(from_toml.output, from_yaml.output);
}

TEST_P(PlanOf, ComesBackFromItsJson) {
  Scratch scratch;
  prepare(GetParam(), scratch);
  const ToolRun run = plan_of(GetParam(), scratch, GetParam().profile);
  Diagnostics problems;
  const std::optional<Plan> plan = read_plan_json(run.output, "plan.json", problems);
  ASSERT_TRUE(plan);
  EXPECT_EQ(write_plan_json(*plan), run.output);
}

// Where a shipped profile is named by its name, it is the same profile.
TEST(ShippedProfile, IsReachedByItsName) {
  for (const Case& one : all_cases()) {
    if (!one.name.starts_with("shipped/")) continue;
    Scratch scratch;
    const ToolRun built_in = plan_of(one, scratch, "sanduk:" + fs::path(one.profile).stem().string());
    EXPECT_EQ(built_in.code, 0) << one.name << ": " << built_in.errors;
    EXPECT_FALSE(built_in.output.empty()) << one.name;
  }
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, PlanOf, testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace sanduk::test
