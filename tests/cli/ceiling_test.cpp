// The ceiling of a user holds for every profile, flag and saved plan.
#include <gtest/gtest.h>

#include "support/tool.h"

namespace sanduk::test {
namespace {

struct Over {
  const char* name;
  const char* policy;
  const char* profile;  // what it says beside the task
};

constexpr Over overs[] = {
    {"Mode", "modes = [\"sealed\"]", "network.mode = \"open\""},
    {"Upstream", "upstreams = [\"api.anthropic.com\"]", "provider.upstream = \"https://evil.example\""},
    {"Provider", "upstreams = [\"127.0.0.1:8080\"]", ""},
    {"Engine", "engines = [\"podman\"]", "engine.name = \"docker\""},
    {"Mount", "mounts = []", "workspace.path = \"work\"\nworkspace.mounts = [\"data:/data:ro\"]"},
    {"MountWritten", "mounts = [\"DATA:ro\"]", "workspace.path = \"work\"\nworkspace.mounts = [\"data:/data\"]"},
    {"Image", "images = [\"builtin\"]", "image.ref = \"debian:12\""},
    {"Digest", "images = [\"sha256:aaaa\"]", "image.ref = \"debian@sha256:aaab\""},
    {"Built", "images = [\"debian\"]", "image.ref = \"debian:12\"\nimage.containerfile = \"Containerfile\""},
    {"KeyCommand", "key_commands = false", "provider.key = \"command:./key.sh\""},
    {"Plaintext", "insecure_upstream = false",
     "provider.upstream = \"http://10.0.0.1\"\nprovider.insecure_upstream = true"},
    {"Keep", "keep = false", "engine.keep = true"},
    {"Memory", "caps.memory = \"1G\"", "caps.memory = \"2G\""},
    {"DefaultTimeout", "caps.timeout = \"5m\"", ""},
    {"NoBudget", "caps.calls = 10", ""},
    {"Budget", "caps.calls = 10", "caps.calls = 11"},
    {"OpenCountsNothing", "caps.tokens = 10", "network.mode = \"open\""},
};

void write_policy(const Scratch& scratch, std::string policy) {
  if (const std::size_t at = policy.find("DATA"); at != std::string::npos)
    policy.replace(at, 4, (scratch.work() / "data").string());
  scratch.write("home/.config/sanduk/policy.toml", policy + "\n");
  scratch.write("work/data/file", "");
  scratch.write("work/work/file", "");
  scratch.write("work/Containerfile", "FROM scratch\n");
}

class CeilingOver : public testing::TestWithParam<Over> {};

TEST_P(CeilingOver, IsRefusedWithBothPlaces) {
  const Over& one = GetParam();
  Scratch scratch;
  scratch.write("work/p.toml", "task = \"x\"\n" + std::string(one.profile) + "\n");
  write_policy(scratch, "");
  ASSERT_EQ(run_tool(scratch, {"validate", "p.toml"}).code, 0) << run_tool(scratch, {"validate", "p.toml"}).errors;
  ASSERT_EQ(run_tool(scratch, {"plan", "p.toml", "-o", "plan.json"}).code, 0);

  write_policy(scratch, one.policy);
  const std::string policy = (scratch.home() / ".config/sanduk/policy.toml").string();
  const ToolRun run = run_tool(scratch, {"apply", "p.toml"});
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.errors.find("error[ceiling]: "), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find(" --> p.toml:"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("::: " + policy + ":1:"), std::string::npos) << run.errors;
  const ToolRun saved = run_tool(scratch, {"apply", "plan.json"});
  EXPECT_EQ(saved.code, 2);
  EXPECT_NE(saved.errors.find("error[ceiling]: "), std::string::npos) << saved.errors;
}

INSTANTIATE_TEST_SUITE_P(All, CeilingOver, testing::ValuesIn(overs), [](const auto& each) { return each.param.name; });

TEST(Ceiling, WhatStaysBelowPasses) {
  Scratch scratch;
  write_policy(scratch,
               "modes = [\"sealed\"]\nupstreams = [\"*.anthropic.com\"]\nengines = [\"docker\"]\nmounts = [\"DATA\"]\n"
               "images = [\"builtin\"]\ncaps.calls = 100\ncaps.timeout = \"1h\"");
  scratch.write("work/p.toml",
                "task = \"x\"\nworkspace.path = \"work\"\nworkspace.mounts = [\"data:/data:ro\"]\ncaps.calls = 100\n");
  const ToolRun run = run_tool(scratch, {"validate", "p.toml"});
  EXPECT_EQ(run.code, 0) << run.errors;
}

TEST(Ceiling, AFlagCannotMoveIt) {
  Scratch scratch;
  write_policy(scratch, "modes = [\"sealed\"]");
  const ToolRun run = run_tool(scratch, {"run", "x", "--mode", "open", "--dry-run"});
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.errors.find("error[ceiling]"), std::string::npos) << run.errors;
}

TEST(Ceiling, AFileThatCannotBeReadStopsEveryRun) {
  for (const char* broken : {"modes = [", "mode = [\"sealed\"]", "modes = \"sealed\""}) {
    Scratch scratch;
    write_policy(scratch, broken);
    EXPECT_EQ(run_tool(scratch, {"run", "x", "--dry-run"}).code, 2) << broken;
  }
  Scratch scratch;
  std::filesystem::create_directories(scratch.home() / ".config/sanduk");
  std::filesystem::create_symlink("nowhere", scratch.home() / ".config/sanduk/policy.toml");
  EXPECT_EQ(run_tool(scratch, {"run", "x", "--dry-run"}).code, 2);
}

}  // namespace
}  // namespace sanduk::test
