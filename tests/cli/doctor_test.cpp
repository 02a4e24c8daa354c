// sanduk doctor on an engine that is a script: what is asked and said. That the probe box proves something is shown on
// real engines in tests/container; here it is a script that looks at nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/lifecycle.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Doctor : public Lifecycle {
 protected:
  Doctor() {
    // What the probe's agent does in its workspace.
    agent("place=$(grep -o 'source=/tmp/sanduk-doctor-[^,]*/work,' " + (scratch_.root() / "fake/words").string() +
          " | tail -n 1); place=${place#source=}\n"
          "echo here > \"${place%,}/probe\"; chown --reference=\"${place%,}\" \"${place%,}/probe\"; echo done");
  }
  int call(const std::vector<std::string>& words) {
    Child child = start(words);
    return finish(child);
  }
};

TEST_F(Doctor, SaysThatAllIsWellAndLeavesNothing) {
  EXPECT_EQ(call({"doctor", "p.toml", "--runtime", "docker"}), 0) << output_ << errors_;
  for (const char* line :
       {"ok    engine", "version", "ok    key", "ok    image", "ok    transport", "ok    files", "disk"})
    EXPECT_THAT(output_, HasSubstr(line));
  EXPECT_EQ(call({"doctor", "--json", "p.toml", "--runtime", "docker"}), 0);
  EXPECT_THAT(output_, HasSubstr("\"ready\": true"));
  EXPECT_THAT(left_over(), IsEmpty());
  EXPECT_THAT(list(state() / "runs"), IsEmpty()) << "an examination is no run";
}

TEST_F(Doctor, NamesWhatFailsAndHowToMendIt) {
  scratch_.write("fake/fail-info", "Cannot connect to the Docker daemon\n");
  EXPECT_EQ(call({"doctor", "p.toml", "--runtime", "docker"}), 3);
  EXPECT_THAT(output_, HasSubstr("fail  engine"));
  EXPECT_THAT(output_, HasSubstr("fix: start it, for instance with `sudo systemctl start docker`"));
  std::filesystem::remove(scratch_.root() / "fake/fail-info");
  std::filesystem::remove(scratch_.root() / "fake/image");
  EXPECT_EQ(call({"doctor", "p.toml", "--runtime", "docker"}), 3);
  EXPECT_THAT(output_, HasSubstr("fail  image"));
  EXPECT_THAT(output_, HasSubstr("fix: docker pull test-image"));
  scratch_.write("fake/image", "x\n");
  scratch_.write("fake/fail-create", "no space left on device\n");
  EXPECT_EQ(call({"doctor", "p.toml", "--runtime", "docker"}), 3);
  EXPECT_THAT(output_, HasSubstr("fail  transport"));
  EXPECT_THAT(output_, HasSubstr("no space left on device"));
}

TEST_F(Doctor, AKeyThatIsNotThereIsNamed) {
  scratch_.write("work/k.toml",
                 "[provider]\nname = \"anthropic\"\nkey = \"env:NO_SUCH_KEY\"\n[agent]\nname = \"command\"\n"
                 "command = [\"true\"]\n[image]\nref = \"test-image\"\n[workspace]\npath = \"tree\"\n");
  EXPECT_EQ(call({"doctor", "k.toml", "--runtime", "docker"}), 3) << errors_;
  EXPECT_THAT(output_, HasSubstr("fail  key"));
  EXPECT_THAT(output_, HasSubstr("NO_SUCH_KEY"));
}

TEST_F(Doctor, ApplyNamesItWhereTheHostIsNotReady) {
  scratch_.write("fake/fail-inspect-image", "Cannot connect to the Docker daemon\n");
  EXPECT_EQ(call({"apply", "p.toml", "--runtime", "docker"}), 3);
  EXPECT_THAT(errors_, HasSubstr("sanduk doctor"));
  EXPECT_EQ(call({"doctor", "nosuch.toml"}), 2);
}

}  // namespace
}  // namespace sanduk::test
