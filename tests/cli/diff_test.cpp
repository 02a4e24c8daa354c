// sanduk diff on what a pull request may hold: each change with its mark, and the exit code that stops it.
#include <gtest/gtest.h>

#include "base/process.h"
#include "support/tool.h"

namespace sanduk::test {
namespace {

constexpr const char* base =
    "version = 1\n"
    "task = \"x\"\n"
    "[image]\nref = \"registry.example/agent:1\"\n"
    "[workspace]\npath = \"work\"\nprotect = [\".git\", \".envrc\"]\n"
    "[network]\nmode = \"sealed\"\n"
    "[caps]\ncalls = 50\n"
    "[allow]\nmodels = [\"claude-opus-5\"]\npaths = [\"/v1/messages\"]\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct Widening {
  const char* name;
  const char* key;
  const char* from;
  const char* to;
};

constexpr Widening widenings[] = {
    {"ModeOpened", "network.mode", "mode = \"sealed\"", "mode = \"open\""},
    {"PathAdded", "allow.paths", "paths = [\"/v1/messages\"]", "paths = [\"/v1/messages\", \"/v1/models\"]"},
    {"ModelListRemoved", "allow.models", "models = [\"claude-opus-5\"]\n", ""},
    {"CapRaised", "caps.calls", "calls = 50", "calls = 500"},
    {"CapRemoved", "caps.calls", "calls = 50\n", ""},
    {"MountAdded", "workspace.mounts", "path = \"work\"\n", "path = \"work\"\nmounts = [\"data:/data:ro\"]\n"},
    {"ProtectedPathDropped", "workspace.protect", "[\".git\", \".envrc\"]", "[\".git\"]"},
    {"ImageTagReplaced", "image.ref", "agent:1", "agent:2"},
    {"WorkspaceAbove", "workspace.path", "path = \"work\"", "path = \".\""},
    {"UpstreamSet", "provider.upstream", "[network]", "[provider]\nupstream = \"https://other.example\"\n[network]"},
    {"KeyCommand", "provider.key", "[network]", "[provider]\nkey = \"command:./key.sh\"\n[network]"},
};

class DiffOf : public testing::TestWithParam<Widening> {};

TEST_P(DiffOf, IsMarkedAndStopsTheBuild) {
  const Widening& one = GetParam();
  Scratch scratch;
  scratch.write("work/before.toml", base);
  scratch.write("work/after.toml", with(base, one.from, one.to));
  const ToolRun run = run_tool(scratch, {"diff", "before.toml", "after.toml", "--fail-on-widening"});
  EXPECT_EQ(run.code, 1) << run.errors;
  EXPECT_EQ(run.output.find("widens   " + std::string(one.key) + "\n"), 0U) << run.output;
  EXPECT_NE(run.output.find("\n1 widen, 0 narrow, 0 neutral\n"), std::string::npos) << run.output;

  const ToolRun back = run_tool(scratch, {"diff", "--fail-on-widening", "after.toml", "before.toml"});
  const bool both_ways = std::string(one.key) == "image.ref" || std::string(one.key) == "provider.upstream";
  EXPECT_EQ(back.code, both_ways ? 1 : 0) << back.output;
}

INSTANTIATE_TEST_SUITE_P(All, DiffOf, testing::ValuesIn(widenings), [](const auto& each) { return each.param.name; });

TEST(Diff, TheSameIsNoDifference) {
  Scratch scratch;
  scratch.write("work/a.toml", base);
  scratch.write("work/b.toml", base);
  const ToolRun run = run_tool(scratch, {"diff", "a.toml", "b.toml", "--fail-on-widening"});
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_EQ(run.output, "no difference\n");
}

TEST(Diff, PlansAreComparedByWhatTheyDo) {
  Scratch scratch;
  scratch.write("work/p.toml", "task = \"x\"\n");
  ASSERT_EQ(run_tool(scratch, {"plan", "p.toml", "-o", "a.json"}).code, 0);
  ASSERT_EQ(run_tool(scratch, {"plan", "p.toml", "-o", "b.json", "--allow-model", "m", "--max-tokens-cap", "5"}).code,
            0);
  const ToolRun narrower = run_tool(scratch, {"diff", "a.json", "b.json", "--fail-on-widening"});
  EXPECT_EQ(narrower.code, 0) << narrower.output << narrower.errors;
  EXPECT_NE(narrower.output.find("narrows  relay.models\n"), std::string::npos) << narrower.output;
  EXPECT_EQ(run_tool(scratch, {"diff", "b.json", "a.json", "--fail-on-widening"}).code, 1);
  EXPECT_EQ(run_tool(scratch, {"diff", "b.json", "p.toml", "--fail-on-widening"}).code, 1);
}

TEST(Diff, ARevisionIsReadWithItsBasesAndWithoutTheRepositorysPrograms) {
  Scratch scratch;
  scratch.write("work/repo/base.toml", "version = 1\n[caps]\ncalls = 50\n");
  scratch.write("work/repo/p/profile.toml", "extends = \"../base.toml\"\ntask = \"x\"\n");
  scratch.write("work/repo/.gitattributes", "*.toml diff=evil filter=evil\n");
  Command git;
  git.argv = {"sh", "-euc",
              "cd \"$1\"; git init -q -b main .; git config user.email a@b.c; git config user.name n; git add -A;"
              "git commit -qm one; git config diff.evil.textconv 'touch ../evil; cat'; git config core.pager 'touch "
              "../evil; cat';"
              "git config filter.evil.smudge 'touch ../evil; cat'; git config core.fsmonitor 'touch ../evil'",
              "sh", (scratch.work() / "repo").string()};
  git.variables = {{"HOME", scratch.home().string()}};
  const ProcessResult made = run_process(git, std::chrono::seconds(30));
  ASSERT_TRUE(made.ok()) << made.errors;
  scratch.write("work/repo/base.toml", "version = 1\n[caps]\ncalls = 500\n");

  const ToolRun run =
      run_tool(scratch, {"diff", "main:repo/p/profile.toml", "repo/p/profile.toml", "--json", "--fail-on-widening"});
  EXPECT_EQ(run.code, 1) << run.errors;
  EXPECT_NE(run.output.find("\"before_origin\": \"main:repo/base.toml:3\""), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("\"after_origin\": \"repo/base.toml:3\""), std::string::npos) << run.output;
  EXPECT_FALSE(std::filesystem::exists(scratch.work() / "evil"));

  for (const char* revision :
       {"--help:repo/p/profile.toml", "nowhere:repo/p/profile.toml", "a b:x.toml", "main:no.toml"}) {
    const ToolRun bad = run_tool(scratch, {"diff", "--", revision, "repo/p/profile.toml"});
    EXPECT_EQ(bad.code, 2) << revision;
    EXPECT_NE(bad.errors.find("error[unreadable-file]"), std::string::npos) << bad.errors;
  }
}

}  // namespace
}  // namespace sanduk::test
