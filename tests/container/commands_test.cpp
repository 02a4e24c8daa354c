// The commands that look at runs and end them: the real program on a real engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/text.h"
#include "run_support.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RealCommands : public testing::Test, protected WholeRun {
 protected:
  void SetUp() override {
    SANDUK_NEEDS_BOXES();
    profile("echo up; sleep 300");
  }

  void profile(const std::string& script, const std::string& more = "") {
    std::ofstream(root() / "p.toml") << "[provider]\nname = \"replay\"\ncassette = \"cassette.jsonl\"\n"
                                     << "[agent]\nname = \"command\"\ncommand = [\"sh\", \"-c\", \"" << script
                                     << "\"]\n"
                                     << "[image]\nref = \"" << plan.image.ref << "\"\n[engine]\nname = \""
                                     << test_engine().name << "\"\n[caps]\nmemory = \"256M\"\ncpus = 1\n"
                                     << "[workspace]\npath = \"work\"\n"
                                     << more;
  }

  std::filesystem::path root() const { return workspace().parent_path(); }

  Command tool(std::vector<std::string> words) const {
    const char* other = std::getenv("SANDUK_TEST_TOOL");
    words.insert(words.begin(), other == nullptr ? SANDUK_BINARY : other);
    return {
        .argv = std::move(words),
        .variables = {{"XDG_STATE_HOME", (root() / "state").string()}, {"XDG_CONFIG_HOME", (root() / "no").string()}},
        .input = {}};
  }
  ProcessResult call(const std::vector<std::string>& words) const {
    return run_process(tool(words), std::chrono::seconds(120));
  }
  // A run at work in the background.
  Child begin() const {
    Child child = Child::start(tool({"apply", (root() / "p.toml").string()}));
    EXPECT_TRUE(eventually([&] { return call({"logs", "last"}).output == "up\n"; }, 60));
    return child;
  }
  std::vector<std::string> engine_flag(std::vector<std::string> words) const {
    words.insert(words.end(), {"--runtime", test_engine().name});
    return words;
  }
};

TEST_F(RealCommands, ARunIsSeenLookedIntoAndStopped) {
  Child child = begin();
  const ProcessResult listed = call(engine_flag({"ps", "--json"}));
  EXPECT_EQ(listed.exit_code, 0) << listed.errors;
  EXPECT_THAT(listed.output, HasSubstr("\"container_state\": \"running\""));
  EXPECT_THAT(listed.output, HasSubstr("\"owner_lives\": true"));
  const ProcessResult inside =
      call({"exec", "--runtime", test_engine().name, "last", "--", "sh", "-c", "id -u; pwd; exit 5"});
  EXPECT_EQ(inside.exit_code, 5) << inside.errors;
  EXPECT_THAT(inside.output, HasSubstr(std::to_string(plan.user.uid)));
  EXPECT_EQ(call(engine_flag({"stop"})).exit_code, 0);
  EXPECT_FALSE(child.poll()) << "a living owner's run goes on";
  const ProcessResult stopped = call(engine_flag({"stop", "last"}));
  EXPECT_EQ(stopped.exit_code, 0) << stopped.errors;
  EXPECT_EQ(child.wait_for(std::chrono::seconds(30)), 128 + SIGTERM);
  EXPECT_THAT(left_over(), IsEmpty());
  EXPECT_THAT(call(engine_flag({"ps", "--all"})).output, HasSubstr("interrupted"));
}

TEST_F(RealCommands, WhatAKilledOwnerAndItsWatcherLeftIsCollected) {
  Child child = begin();
  const std::string container(trim(containers()));
  // The owner and its watcher at once: only labels and record are left.
  const ProcessResult watcher = run_process(
      {.argv = {"pgrep", "-x", "-P", std::to_string(child.pid()), "sanduk-watch"}, .variables = {}, .input = {}},
      std::chrono::seconds(5));
  const auto pid = parse_decimal(trim(watcher.output));
  ASSERT_TRUE(pid) << watcher.output;
  kill(static_cast<pid_t>(*pid), SIGKILL);
  kill(child.pid(), SIGKILL);
  child.wait_for(std::chrono::seconds(10));
  EXPECT_THAT(containers(), HasSubstr(container));
  EXPECT_THAT(call(engine_flag({"ps"})).output, HasSubstr("orphaned"));
  const ProcessResult collected = call(engine_flag({"gc"}));
  EXPECT_EQ(collected.exit_code, 0) << collected.errors;
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(RealCommands, WhatIsLeftWithoutAnyRecordIsCollectedByItsLabels) {
  const bool gateway = geteuid() == 0;
  profile("echo up; sleep 300", gateway ? "[network]\ntransport = \"gateway\"\n" : "");
  Child child = begin();
  const ProcessResult watcher = run_process(
      {.argv = {"pgrep", "-x", "-P", std::to_string(child.pid()), "sanduk-watch"}, .variables = {}, .input = {}},
      std::chrono::seconds(5));
  const auto pid = parse_decimal(trim(watcher.output));
  ASSERT_TRUE(pid) << watcher.output;
  kill(static_cast<pid_t>(*pid), SIGKILL);
  kill(child.pid(), SIGKILL);
  child.wait_for(std::chrono::seconds(10));
  std::filesystem::remove_all(state());
  EXPECT_THAT(containers(), Not(IsEmpty()));
  if (gateway) {
    EXPECT_THAT(networks(), Not(IsEmpty()));
  }
  const ProcessResult collected = call(engine_flag({"gc"}));
  EXPECT_EQ(collected.exit_code, 0) << collected.errors;
  EXPECT_THAT(containers() + networks(), IsEmpty()) << collected.output;
}

TEST_F(RealCommands, AKeptContainerIsShownAndCleaned) {
  profile("echo done");
  const ProcessResult run = call({"apply", (root() / "p.toml").string(), "--keep"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(call(engine_flag({"ps"})).output, HasSubstr("kept"));
  EXPECT_EQ(call(engine_flag({"clean"})).exit_code, 0);
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(RealCommands, TheDoctorsProbeBoxReachesTheRelay) {
  const ProcessResult seen = call({"doctor", (root() / "p.toml").string(), "--json"});
  EXPECT_EQ(seen.exit_code, 0) << seen.output << seen.errors;
  EXPECT_THAT(seen.output, HasSubstr("reached the relay"));
  EXPECT_THAT(seen.output, HasSubstr("what a box writes belongs to user " + std::to_string(plan.user.uid)));
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(RealCommands, ARunOnACopyLeavesTheWorkspaceUntilItIsTaken) {
  std::ofstream(workspace() / "file") << "one\n";
  if (geteuid() == 0) {
    ASSERT_EQ(chown((workspace() / "file").c_str(), 1000, 1000), 0);
  }
  profile("echo two >> file; echo new > added; echo '# R' > REPORT.md", "mode = \"copy\"\n");
  const ProcessResult run = call({"apply", (root() / "p.toml").string()});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_FALSE(std::filesystem::exists(workspace() / "added"));
  EXPECT_THAT(call({"changes", "last"}).output, HasSubstr("+two"));
  EXPECT_EQ(call({"take", "last"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(workspace() / "added"));
  struct stat status {};
  ASSERT_EQ(stat((workspace() / "added").c_str(), &status), 0);
  EXPECT_EQ(static_cast<std::int64_t>(status.st_uid), plan.user.uid);
}

TEST_F(RealCommands, AReadOnlyWorkspaceCannotBeWritten) {
  std::ofstream(workspace() / "file") << "one\n";
  profile("cat file; echo x > new || echo held; echo x >> file || echo held", "mode = \"ro\"\n");
  const ProcessResult run = call({"apply", (root() / "p.toml").string()});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, "one\nheld\nheld\n");
  EXPECT_THAT(left_over(), IsEmpty());
}

// Packages of both kinds, whole versions, on top of the image that the profile names.
TEST_F(RealCommands, WhatAProfileAddsIsInTheBox) {
  profile("hello; semver 1.2.3; id -u");
  std::ofstream(root() / "p.toml", std::ios::app)
      << "[image.add]\napt = [\"hello=2.10-3\"]\nnpm = [\"semver@7.6.3\"]\n";
  const std::string file = (root() / "p.toml").string();
  const ProcessResult shown = call({"build", file, "--dry-run"});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  const ProcessResult plan_text = call({"plan", file});
  for (const char* words : {"hello=2.10-3", "semver@7.6.3", "on top of docker.io/library/node:22-slim", ":added-u"})
    EXPECT_THAT(plan_text.output, HasSubstr(words));
  EXPECT_THAT(shown.output, HasSubstr(":added-u"));
  const ProcessResult run = call({"apply", file});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, "Hello, world!\n1.2.3\n" + std::to_string(plan.user.uid) + "\n");
  EXPECT_THAT(left_over(), IsEmpty());
}

// A name of our own that means one image, and then another, as a tag on a registry does.
class MovingName {
 public:
  explicit MovingName(std::function<std::string(const std::vector<std::string>&)> engine)
      : engine_(std::move(engine)) {}
  ~MovingName() { engine_({"image", "rm", "--force", name()}); }
  MovingName(const MovingName&) = delete;
  MovingName& operator=(const MovingName&) = delete;

  std::string name() const { return "localhost/sanduk-test-" + word_ + ":1"; }
  // Without a network: a layer of the base with one label more.
  void make(const std::string& what, const std::filesystem::path& place) const {
    std::filesystem::create_directories(place / "empty");
    std::ofstream(place / "Containerfile") << "FROM docker.io/library/node:22-slim\nLABEL what=" << what << "\n";
    engine_({"build", "-t", name(), "-f", (place / "Containerfile").string(), (place / "empty").string()});
  }
  void remove() const { engine_({"image", "rm", "--force", name()}); }

 private:
  std::function<std::string(const std::vector<std::string>&)> engine_;
  std::string word_ = random_hex(8);
};

class LockedImages : public RealCommands {
 protected:
  void SetUp() override {
    RealCommands::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    name_.make("one", root() / "image");
    plan.image.ref = name_.name();
    profile("echo up");
  }
  std::string file(const std::string& name) const { return (root() / name).string(); }
  std::string digest() {
    std::string id(trim(engine({"image", "inspect", "--format", "{{.Id}}", name_.name()})));
    return id.starts_with("sha256:") ? id : "sha256:" + id;
  }

  MovingName name_{[this](const std::vector<std::string>& words) { return engine(words); }};
};

TEST_F(LockedImages, AreTheOnlyOnesThatRun) {
  const std::string first = digest();
  const ProcessResult locked = call({"build", "--lock", file("p.toml")});
  ASSERT_EQ(locked.exit_code, 0) << locked.errors;
  std::ifstream stream(file("p.lock.toml"));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(text,
              HasSubstr("[images.\"" + test_engine().name + "\"]\n\"" + name_.name() + "\" = \"" + first + "\"\n"));
  EXPECT_EQ(call({"apply", file("p.toml")}).exit_code, 0);

  name_.make("two", root() / "image");
  const std::string second = digest();
  ASSERT_NE(first, second);
  const ProcessResult drifted = call({"apply", file("p.toml")});
  EXPECT_EQ(drifted.exit_code, 3);
  for (const std::string& words : {std::string("error[image-drift]"), first, second, file("p.lock.toml"),
                                   std::string("sanduk build --lock PROFILE")})
    EXPECT_THAT(drifted.errors, HasSubstr(words));
  const ProcessResult examined = call({"doctor", file("p.toml")});
  EXPECT_THAT(examined.output, HasSubstr(second));
  // Of two images by one name none is removed with the other, and one that is gone is not built anew.
  name_.remove();
  const ProcessResult gone = call({"apply", file("p.toml")});
  EXPECT_EQ(gone.exit_code, 3);
  EXPECT_THAT(gone.errors, HasSubstr("is pinned, and is not there"));

  name_.make("two", root() / "image");
  EXPECT_EQ(call({"build", "--lock", file("p.toml")}).exit_code, 0);
  EXPECT_EQ(call({"apply", file("p.toml")}).exit_code, 0);
  // A profile that has gone on is refused before any engine is asked.
  const ProcessResult other = call({"apply", file("p.toml"), "--image", "localhost/other:1"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.errors,
              HasSubstr("error[image-drift]: the image `localhost/other:1` is not in the profile's lock"));
  EXPECT_THAT(left_over(), IsEmpty());
}

TEST_F(LockedImages, APinnedPlanIsRefusedWhenItsImagesNameMeansAnother) {
  ASSERT_EQ(call({"plan", file("p.toml"), "-o", file("free.json")}).exit_code, 0);
  const ProcessResult pinned = call({"plan", file("p.toml"), "--pin", "-o", file("plan.json")});
  ASSERT_EQ(pinned.exit_code, 0) << pinned.errors;
  EXPECT_EQ(call({"apply", file("plan.json")}).exit_code, 0);
  const std::string first = digest();
  name_.make("two", root() / "image");
  const ProcessResult drifted = call({"apply", file("plan.json")});
  EXPECT_EQ(drifted.exit_code, 3);
  EXPECT_THAT(drifted.errors, HasSubstr("pinned: " + first));
  EXPECT_THAT(drifted.errors, HasSubstr("there:  " + digest()));
  EXPECT_EQ(call({"apply", file("free.json")}).exit_code, 0)
      << "a plan that pins nothing says so, and runs what is there";
  name_.remove();
  const ProcessResult nothing = call({"plan", file("p.toml"), "--pin"});
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_THAT(nothing.errors, HasSubstr("to pin"));
}

}  // namespace
}  // namespace sanduk::test
