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
