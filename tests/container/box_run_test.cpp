// A box on a real engine: what it reports of itself, how it ends, what it leaves.
#include <gmock/gmock.h>

#include "base/json.h"
#include "base/text.h"
#include "box_support.h"

namespace sanduk::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(BoxRun, a_sealed_box_is_what_the_plan_says) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.write(".git/config", "[core]\n");
  box.write(".git/hooks/pre-commit", "#!/bin/sh\n");
  box.plan.workspace.protected_paths = {".git/hooks", ".git/config", ".envrc", ".vscode/tasks.json"};
  box.script("echo done");
  const ProcessResult result = box.run();
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, "done\n");
  EXPECT_THAT(box.faults(), IsEmpty()) << box.relay->report();
  EXPECT_THAT(box.relay->report_head(), HasSubstr("x-api-key: " + box.token));

  const auto report = parse_json_object(box.relay->report());
  EXPECT_EQ(json_array(report, "interfaces")->size(), 1U);
  EXPECT_EQ(json_array(report, "routes")->size(), 0U);
  EXPECT_EQ(json_text(json_object(report, "reach"), "ipv4"), "ENETUNREACH");
  EXPECT_EQ(json_text(json_object(report, "capabilities"), "bounding"), "0000000000000000");
  EXPECT_EQ(json_boolean(json_object(report, "found"), "no_new_privileges"), true);
  EXPECT_EQ(json_text(report, "vsock"), "EAFNOSUPPORT");
  if (has_limits()) {
    EXPECT_EQ(json_integer(json_object(report, "limits"), "memory"), std::int64_t{512} << 20);
    EXPECT_EQ(json_integer(json_object(report, "limits"), "pids"), 256);
    EXPECT_EQ(json_integer(json_object(report, "limits"), "cpu_thousandths"), 1500);
  }
  // Nothing is left of the places on which mounts lay.
  EXPECT_EQ(box.tree(), ".git\n.git/config\n.git/hooks\n.git/hooks/pre-commit");
}

TEST(BoxRun, the_agent_has_its_own_variables_and_no_proxy) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.script(
      "env | cut -d= -f1 | sort | tr '\\n' ' '; echo; echo $API_BASE $API_TOKEN; pwd; id -u; ls -A /work | wc -l");
  const ProcessResult result = box.run();
  const std::vector<std::string> lines = split(result.output, '\n');
  ASSERT_GE(lines.size(), 5U) << result.errors;
  EXPECT_THAT(lines[0], Not(HasSubstr("PROXY")));
  EXPECT_THAT(lines[0], Not(HasSubstr("proxy")));
  EXPECT_EQ(lines[1], "http://127.0.0.1:8750 " + box.token);
  EXPECT_EQ(lines[2], "/work");
  EXPECT_EQ(lines[3], std::to_string(box.plan.user.uid));
  EXPECT_EQ(lines[4], "0");
}

TEST(BoxRun, the_token_stands_in_no_argument_and_the_key_nowhere) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.script("cat /proc/*/cmdline | tr '\\0' ' '");
  for (const std::string& word : create_command(box.plan, box.names)) EXPECT_THAT(word, Not(HasSubstr(box.token)));
  ASSERT_TRUE(box.create().ok());
  const std::string inspected = box.engine({"inspect", box.names.run_id}).output;
  EXPECT_THAT(inspected, Not(HasSubstr(box.key.substr(13, 6))));
  EXPECT_THAT(box.engine({"start", "--attach", box.names.run_id}).output, Not(HasSubstr(box.token)));
  EXPECT_THAT(box.relay->report(), Not(HasSubstr(box.key.substr(13, 6))));
}

TEST(BoxRun, exit_codes_are_the_agents) {
  SANDUK_NEEDS_BOXES();
  const auto code_of = [](const std::vector<std::string>& argv) {
    BoxRun box;
    box.plan.agent.argv = argv;
    return box.run().exit_code;
  };
  EXPECT_EQ(code_of({"sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(code_of({"sh", "-c", "kill -KILL $$"}), 137);
  EXPECT_EQ(code_of({"/no/such/program"}), 127);
  EXPECT_EQ(code_of({"/etc/passwd"}), 126);
}

TEST(BoxRun, a_refused_report_starts_no_agent) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.relay->report_status = 403;
  box.relay->report_answer = "the box has a network route";
  box.script("touch /work/started");
  const ProcessResult result = box.run();
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_EQ(result.errors, "sanduk box: the box has a network route\n");
  EXPECT_EQ(box.tree(), "");
}

TEST(BoxRun, a_relay_that_is_not_there_starts_no_agent) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.relay.reset();
  std::filesystem::remove(std::filesystem::path(box.names.socket_directory) / "relay.sock");
  box.script("touch /work/started");
  const ProcessResult result = box.run();
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_THAT(result.errors, HasSubstr("no relay at /run/sanduk/relay.sock: ENOENT"));
  EXPECT_EQ(box.tree(), "");
}

TEST(BoxRun, orphans_are_reaped_and_nothing_outlives_the_agent) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.script(
      "for i in 1 2 3 4 5 6 7 8; do sh -c '(sh -c \"exit 3\" &) ; exit 0'; done; sleep 0.3\n"
      "grep -l '^State:.Z' /proc/[0-9]*/status 2>/dev/null | wc -l\n"
      "setsid sleep 987654 & sleep 0.1; exit 4");
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult result = box.run();
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(result.output, "0\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(
      box.world.run({.argv = {"pgrep", "-f", "sleep 987654"}, .variables = {}, .input = {}}, std::chrono::seconds(5))
          .output,
      "");
}

TEST(BoxRun, signals_reach_the_whole_group_of_the_agent) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.script(
      // Ready once both listen; the parent waits for the child, as its own end is the end of all.
      "trap 'echo got-term; wait; exit 9' TERM; (trap 'echo child-too; exit' TERM; echo ready; sleep 60 & wait) & "
      "wait");
  ASSERT_TRUE(box.create().ok());
  Child child = box.world.start({.argv = start_command(box.names), .variables = {}, .input = {}});
  std::string output;
  char bytes[256];
  const auto read_until = [&](const std::string& words) {
    ssize_t got;
    while (output.find(words) == std::string::npos && (got = ::read(child.output_fd(), bytes, sizeof bytes)) > 0) {
      output.append(bytes, static_cast<std::size_t>(got));
    }
  };
  read_until("ready");
  EXPECT_TRUE(box.engine({"kill", "--signal", "TERM", box.names.run_id}).ok());
  read_until("\x01");
  EXPECT_EQ(child.wait_for(std::chrono::seconds(20)), 9);
  EXPECT_THAT(output, HasSubstr("got-term"));
  EXPECT_THAT(output, HasSubstr("child-too"));
  EXPECT_EQ(
      trim(box.world
               .run({.argv = inspect_state_command(box.names), .variables = {}, .input = {}}, std::chrono::seconds(20))
               .output),
      "exited 9 false");
}

TEST(BoxRun, a_long_task_comes_on_standard_input) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  const TemporaryDirectory place;
  std::filesystem::permissions(place.path(), std::filesystem::perms(0755));
  const std::filesystem::path file = place.path() / "task";
  ASSERT_FALSE(write_file_atomically(file, std::string(1'000'000, 'x'), 0644));
  box.names.input_file = file;
  box.script("wc -c; readlink /proc/self/fd/0");
  EXPECT_THAT(box.run().output, HasSubstr("1000000"));
  box.names.input_file = "";
  box.script("readlink /proc/self/fd/0; wc -c");
  EXPECT_EQ(box.run().output, "/dev/null\n0\n");
}

TEST(BoxRun, git_works_beside_its_protected_parts) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.script("command -v git || exit 77; git init -q .");
  if (box.run().exit_code == 77) GTEST_SKIP() << "the test image has no git";
  box.plan.workspace.protected_paths = {".git/hooks", ".git/config"};
  box.script(
      "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b\n"
      "echo x > file && git add file && git commit -qm one && git checkout -qb side && git gc -q && git log --oneline "
      "| wc -l\n"
      "git config core.hooksPath /work/mine && echo changed");
  const ProcessResult result = box.run();
  EXPECT_EQ(result.output, "1\n") << result.errors;
  EXPECT_THAT(box.faults(), IsEmpty());
}

TEST(BoxRun, listing_finds_the_box_by_its_labels) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.script("true");
  ASSERT_TRUE(box.create().ok());
  const ProcessResult listed =
      box.world.run({.argv = list_command(test_engine()), .variables = {}, .input = {}}, std::chrono::seconds(20));
  bool found = false;
  for (const ListedBox& other : read_list(listed.output)) {
    if (other.name != box.names.run_id) continue;
    found = true;
    EXPECT_EQ(other.state, "created");
    EXPECT_EQ(other.run_id, box.names.run_id);
    EXPECT_EQ(other.owner_pid, getpid());
    EXPECT_EQ(other.owner_start_time, "1");
    EXPECT_EQ(other.state_directory, box.names.state_directory);
  }
  EXPECT_TRUE(found) << listed.output;
}

TEST(BoxRun, an_open_box_has_the_network_and_needs_no_relay) {
  SANDUK_NEEDS_BOXES();
  BoxRun box;
  box.plan.mode = NetworkMode::open;
  box.plan.transport = Transport::none;
  box.plan.agent.token_variable = "";
  box.plan.agent.variables = {{"API_KEY", "{token}"}};
  box.script("ls /sys/class/net; echo $API_KEY; grep CapEff /proc/self/status");
  const ProcessResult result = box.run();
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, testing::AnyOf(HasSubstr("eth0"), HasSubstr("tap0")));
  EXPECT_THAT(result.output, HasSubstr(box.key));
  EXPECT_THAT(result.output, HasSubstr("0000000000000000"));
  EXPECT_EQ(box.relay->report(), "");
}

}  // namespace
}  // namespace sanduk::test
