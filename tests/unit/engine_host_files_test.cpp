// What the host may run or obey, and that a change of it is seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/host_files.h"
#include "engine_run.h"

namespace sanduk::test {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(HostFiles, AreKnownByTheirPath) {
  EXPECT_EQ(host_use(".git/hooks/pre-commit"), "git hook");
  EXPECT_EQ(host_use("sub/.git/config"), "git configuration");
  EXPECT_EQ(host_use(".vscode/tasks.json"), "editor task");
  EXPECT_EQ(host_use(".envrc"), "direnv");
  EXPECT_EQ(host_use(".github/workflows/ci.yml"), "CI file");
  EXPECT_EQ(host_use("web/package.json"), "package script");
  for (const char* plain : {"src/main.cpp", "my.envrc", "xMakefile", "README.md", "git/hooks/x"})
    EXPECT_EQ(host_use(plain), "");
}

TEST_F(Execute, ChangedOnesAreToldAndRecorded) {
  place_.write("work/Makefile", "all:\n");
  place_.write("work/.envrc", "x\n");
  place_.write("work/other", "x\n");
  const std::string work = (place_ / "work").string();
  world_.agent("cd " + work +
               "; echo bad >> Makefile; mkdir .vscode; echo t > .vscode/tasks.json; rm .envrc; echo y > other");
  const RunOutcome outcome = run();
  EXPECT_THAT(outcome.changed_host_files,
              UnorderedElementsAre("Makefile (build script)", ".vscode/tasks.json (editor task, new)",
                                   ".envrc (direnv, removed)"));
  EXPECT_EQ(world_.record().changed_host_files, outcome.changed_host_files);
}

TEST_F(Execute, AChangeWhoseTimeWasSetBackIsSeen) {
  place_.write("work/setup.py", "pass\n");
  world_.agent("cd " + (place_ / "work").string() +
               "; touch -r setup.py ref; echo evil > setup.py; touch -r ref setup.py");
  EXPECT_THAT(run().changed_host_files, ElementsAre("setup.py (package script)"));
}

TEST_F(Execute, AFolderThatIsNamedLikeGitsHidesNothing) {
  world_.agent("cd " + (place_ / "work").string() + "; mkdir -p objects .git/objects; echo x > objects/.envrc; " +
               "echo x > .git/objects/Makefile");
  EXPECT_THAT(run().changed_host_files, ElementsAre("objects/.envrc (direnv, new)"));
}

TEST(HostFiles, WhatWasNotLookedAtIsSaidAndNotTakenForRemoved) {
  const HostFiles before{{{"Makefile", "1"}}, ""};
  const HostFiles after{{{".envrc", "2"}}, "there are too many"};
  EXPECT_THAT(changed_host_files(before, after), ElementsAre("there are too many", ".envrc (direnv, new)"));
}

}  // namespace
}  // namespace sanduk::test
