// A saved plan is run as it was reviewed, or not at all.
#include <gtest/gtest.h>

#include <fstream>

#include "support/tool.h"

namespace sanduk::test {
namespace {

namespace fs = std::filesystem;

void write_case(const Scratch& scratch) {
  scratch.write("work/p.toml",
                "task_file = \"task.md\"\n[provider]\nname = \"replay\"\ncassette = \"answers.jsonl\"\n"
                "[image]\ncontainerfile = \"Containerfile\"\n[workspace]\npath = \"work\"\n");
  scratch.write("work/task.md", "Say hello.\n");
  scratch.write("work/answers.jsonl", "{}\n");
  scratch.write("work/Containerfile", "FROM scratch\n");
  fs::create_directories(scratch.work() / "work");
}

TEST(PlanFile, IsRefusedWhenAFileThatItNamesHasChanged) {
  for (const char* changed : {"p.toml", "task.md", "answers.jsonl", "Containerfile"}) {
    Scratch scratch;
    write_case(scratch);
    ASSERT_EQ(run_tool(scratch, {"plan", "p.toml", "-o", "plan.json"}).code, 0);
    const ToolRun good = run_tool(scratch, {"apply", "plan.json", "--dry-run"});
    ASSERT_EQ(good.code, 0) << good.errors;
    std::ofstream(scratch.work() / changed, std::ios::app) << "\n";
    const ToolRun run = run_tool(scratch, {"apply", "plan.json", "--dry-run"});
    EXPECT_EQ(run.code, 2) << changed;
    EXPECT_NE(run.errors.find("error[plan-stale]: `" + (scratch.work() / changed).string() + "` has changed since"),
              std::string::npos)
        << run.errors;
    EXPECT_NE(run.errors.find("sanduk: 1 error; nothing was started\n"), std::string::npos);
    fs::remove(scratch.work() / changed);
    const ToolRun gone = run_tool(scratch, {"apply", "plan.json", "--dry-run"});
    EXPECT_NE(gone.errors.find("cannot be read any more"), std::string::npos) << gone.errors;
  }
}

TEST(PlanFile, IsRefusedWhenItWasEdited) {
  Scratch scratch;
  write_case(scratch);
  ASSERT_EQ(run_tool(scratch, {"plan", "p.toml", "-o", "plan.json"}).code, 0);
  std::string text = read_whole(scratch.work() / "plan.json");
  text.replace(text.find("\"sealed\""), 8, "\"open\"");
  scratch.write("work/plan.json", text);
  const ToolRun run = run_tool(scratch, {"apply", "plan.json"});
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.errors.find("error[plan-changed]"), std::string::npos) << run.errors;
}

TEST(PlanFile, AJsonProfileIsNoPlan) {
  Scratch scratch;
  scratch.write("work/p.json", R"({"$schema": "x", "task": "Say \"sanduk_plan\"."})");
  const ToolRun run = run_tool(scratch, {"apply", "p.json", "--dry-run"});
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_EQ(run.output.find("docker create"), 0U) << run.output;
}

// What holds a profile to its images is a part of it: read-only in the box, and no saved plan outlives its change.
TEST(PlanFile, ALockIsProtectedAndAChangeOfItIsSeen) {
  Scratch scratch;
  const std::string digest = "sha256:" + std::string(64, 'a');
  scratch.write("work/p.toml", "task = \"x\"\n[image]\nref = \"team/box:1\"\n[engine]\nname = \"docker\"\n");
  const std::string free = run_tool(scratch, {"plan", "p.toml"}).output;
  EXPECT_NE(free.find("pinned      no (see plan --pin, build --lock)\n"), std::string::npos) << free;
  scratch.write("work/p.lock.toml", "version = 1\n[images.docker]\n\"team/box:1\" = \"" + digest + "\"\n");
  const ToolRun locked = run_tool(scratch, {"plan", "p.toml"});
  EXPECT_EQ(locked.code, 0) << locked.errors;
  EXPECT_NE(locked.output.find("pinned      " + digest + " in docker\n"), std::string::npos) << locked.output;
  EXPECT_NE(locked.output.find("/work/p.lock.toml  (read-only)\n"), std::string::npos) << locked.output;
  ASSERT_EQ(run_tool(scratch, {"plan", "p.toml", "-o", "plan.json"}).code, 0);
  EXPECT_EQ(run_tool(scratch, {"apply", "plan.json", "--dry-run"}).code, 0);
  fs::remove(scratch.work() / "p.lock.toml");
  const ToolRun gone = run_tool(scratch, {"apply", "plan.json", "--dry-run"});
  EXPECT_EQ(gone.code, 2);
  EXPECT_NE(gone.errors.find("error[plan-stale]"), std::string::npos) << gone.errors;
  const ToolRun widened = run_tool(scratch, {"diff", "plan.json", "p.toml", "--fail-on-widening"});
  EXPECT_EQ(widened.code, 1) << widened.output;
}

TEST(PlanFile, TextShowsTheEnginesWordsAndVariablesByName) {
  Scratch scratch;
  scratch.write("work/p.toml", "task = \"x\"\n[agent.env]\nSETTING = \"of-mine\"\n");
  const ToolRun run = run_tool(scratch, {"plan", "p.toml"});
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_NE(run.output.find("engine's words\n  docker create\n"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("--network none"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("SETTING\n"), std::string::npos) << run.output;
}

}  // namespace
}  // namespace sanduk::test
