// The argv of a box, whole, and the rules behind its parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/text.h"
#include "container/box.h"
#include "container/covers.h"
#include "diagnostics/diagnostic.h"
#include "support/engines.h"

namespace sanduk {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Plan small_plan() {
  Plan plan;
  plan.task = "Say {token} and {relay}";
  plan.agent.argv = {"agent", "--base", "{relay}/v1", plan.task};
  plan.agent.variables = {{"BASE", "{relay}"}, {"KEY", "{token}"}, {"QUIET", "1"}};
  plan.agent.token_variable = "KEY";
  plan.workspace.host_path = "/home/me/work";
  plan.user = {1000, 1001};
  return plan;
}

BoxNames small_names() {
  BoxNames names;
  names.run_id = "sanduk-0a1b";
  names.engine = test::engine_named("docker");
  names.image = "sanduk-claude:1";
  names.socket_directory = "/run/u/relay";
  names.helper_directory = "/run/u/helper";
  names.guard_directory = "/run/u/guard";
  names.owner_pid = 42;
  names.owner_start_time = "99";
  names.state_directory = "/home/me/.local/state/sanduk";
  return names;
}

std::string line_of(const std::vector<std::string>& argv) { return " " + join(argv, " ") + " "; }

// The proxy variables are many and always the same.
std::string without_proxies(std::vector<std::string> argv) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    const bool pair = i + 1 < argv.size() && (argv[i] == "--env" || argv[i] == "--drop-variable");
    if (pair && lower(argv[i + 1]).find("proxy") != std::string::npos) {
      ++i;
    } else {
      kept.push_back(argv[i]);
    }
  }
  return join(kept, "\n") + "\n";
}

TEST(CreateCommand, the_whole_of_a_sealed_box) {
  Plan plan = small_plan();
  plan.limits = {1.5, 1073741824, 512, 60};
  plan.mounts = {{"/data", "/data", true}, {"/cache", "/cache", false}};
  plan.workspace.protected_paths = {".git/hooks", ".envrc"};
  const std::vector<Cover> covers = {
      {".envrc", Cover::How::stand_in_file}, {".git", Cover::How::pinned}, {".git/hooks", Cover::How::held}};
  EXPECT_EQ(without_proxies(create_command(plan, small_names(), covers)), R"(docker
create
--name
sanduk-0a1b
--pull
never
--log-driver
none
--label
sanduk.run=sanduk-0a1b
--label
sanduk.owner-pid=42
--label
sanduk.owner-start=99
--label
sanduk.state=/home/me/.local/state/sanduk
--network
none
--cap-drop
ALL
--security-opt
no-new-privileges
--user
1000:1001
--pids-limit
512
--memory
1073741824
--memory-swap
1073741824
--cpus
1.5
--ulimit
core=0
--hostname
sanduk
--workdir
/work
--stop-timeout
5
--mount
type=bind,source=/home/me/work,target=/work
--mount
type=bind,source=/run/u/guard/empty-file,target=/work/.envrc,readonly
--mount
type=bind,source=/home/me/work/.git,target=/work/.git
--mount
type=bind,source=/home/me/work/.git/hooks,target=/work/.git/hooks,readonly
--mount
type=bind,source=/data,target=/data,readonly
--mount
type=bind,source=/cache,target=/cache
--mount
type=bind,source=/run/u/helper,target=/sanduk,readonly
--mount
type=bind,source=/run/u/relay,target=/run/sanduk,readonly
--env
BASE=http://127.0.0.1:8750
--env
KEY
--env
QUIET=1
--entrypoint
/sanduk/box
sanduk-claude:1
--socket
/run/sanduk/relay.sock
--port
8750
--token-variable
KEY
--file-size
16
--probe-writable
/work
--probe-protected
/work/.git/hooks
--probe-protected
/work/.envrc
--
agent
--base
http://127.0.0.1:8750/v1
Say {token} and {relay}
)");
}

TEST(CreateCommand, a_sealed_box_gets_no_proxy_of_the_callers) {
  const std::string line = line_of(create_command(small_plan(), small_names(), {}));
  EXPECT_THAT(line, HasSubstr(" --env HTTPS_PROXY= "));
  EXPECT_THAT(line, HasSubstr(" --drop-variable https_proxy "));
  Plan plan = small_plan();
  plan.agent.variables.push_back({"NO_PROXY", "mine"});
  EXPECT_THAT(line_of(create_command(plan, small_names(), {})), Not(HasSubstr(" --drop-variable NO_PROXY ")));
  plan.mode = NetworkMode::key_safe;
  EXPECT_THAT(line_of(create_command(plan, small_names(), {})), Not(HasSubstr("HTTPS_PROXY")));
}

TEST(CreateCommand, key_safe_has_the_network_and_the_relay) {
  Plan plan = small_plan();
  plan.mode = NetworkMode::key_safe;
  const std::string line = line_of(create_command(plan, small_names(), {}));
  EXPECT_THAT(line, Not(HasSubstr("--network")));
  EXPECT_THAT(line, HasSubstr(" --socket /run/sanduk/relay.sock "));
}

TEST(CreateCommand, open_has_no_relay) {
  Plan plan = small_plan();
  plan.mode = NetworkMode::open;
  plan.transport = Transport::none;
  plan.agent.argv = {"agent"};
  plan.agent.variables = {{"KEY", "{token}"}};
  plan.agent.token_variable = "";
  const std::string line = line_of(create_command(plan, small_names(), {}));
  EXPECT_THAT(line, Not(HasSubstr("--network")));
  EXPECT_THAT(line, Not(HasSubstr("/run/sanduk")));
  EXPECT_THAT(line, HasSubstr(" --no-relay "));
  EXPECT_THAT(line, HasSubstr(" --env KEY "));
}

TEST(CreateCommand, podman_and_its_rootless_kind) {
  BoxNames names = small_names();
  names.engine = test::engine_named("podman");
  EXPECT_THAT(line_of(create_command(small_plan(), names, {})), HasSubstr(" --http-proxy=false "));
  EXPECT_THAT(line_of(create_command(small_plan(), names, {})), Not(HasSubstr("--userns")));
  names.rootless = true;
  EXPECT_THAT(line_of(create_command(small_plan(), names, {})), HasSubstr(" --userns keep-id:uid=1000,gid=1001 "));
}

TEST(CreateCommand, no_path_can_add_a_field_to_a_mount) {
  Plan plan = small_plan();
  plan.workspace.host_path = "/a,readonly \"x\"";
  EXPECT_THAT(create_command(plan, small_names(), {}),
              Contains("type=bind,\"source=/a,readonly \"\"x\"\"\",target=/work"));
}

TEST(CreateCommand, a_path_that_the_engine_cannot_name_is_told_before) {
  Plan plan = small_plan();
  plan.workspace.host_path = "/a,readonly";
  BoxNames names = small_names();
  names.engine = test::engine_named("podman");
  try {
    create_command(plan, names, {});
    FAIL();
  } catch (const RunError& error) {
    EXPECT_EQ(error.diagnostic.code, "mount-path");
  }
}

TEST(CreateCommand, each_engine_is_spoken_to_in_its_own_words) {
  Plan plan = small_plan();
  plan.oci_runtime = "runsc";
  BoxNames names = small_names();
  EXPECT_THAT(line_of(create_command(plan, names, {})), HasSubstr(" docker create "));
  EXPECT_THAT(line_of(create_command(plan, names, {})), HasSubstr(" --runtime runsc "));
  EXPECT_THAT(list_command(names.engine).back(), HasSubstr("{{.Label \"sanduk.run\"}}"));
  names.engine = test::engine_named("podman");
  EXPECT_THAT(line_of(create_command(plan, names, {})), HasSubstr(" podman --runtime runsc create "));
  EXPECT_THAT(line_of(create_command(plan, names, {})), Not(HasSubstr("--ulimit")));
  EXPECT_THAT(list_command(names.engine).back(), HasSubstr("{{index .Labels \"sanduk.run\"}}"));
  names.rootless = names.without_limits = true;
  plan.limits.pids = 100;
  plan.limits.memory_bytes = 1 << 30;
  const std::string rootless = line_of(create_command(plan, names, {}));
  EXPECT_THAT(rootless, Not(HasSubstr("--memory")));
  EXPECT_THAT(rootless, HasSubstr(" --processes 100 "));
}

TEST(ReadList, states_are_one_word_whatever_the_engine_says) {
  const std::string rest = "\tr\t1\t2\t/s\n";
  const std::vector<ListedBox> boxes = read_list("a\tUp 3 seconds ago" + rest + "b\tExited (0) 1 hour ago" + rest +
                                                 "c\tCreated" + rest + "d\trunning" + rest);
  ASSERT_EQ(boxes.size(), 4U);
  EXPECT_EQ(boxes[0].state, "running");
  EXPECT_EQ(boxes[1].state, "exited");
  EXPECT_EQ(boxes[2].state, "created");
  EXPECT_EQ(boxes[3].state, "running");
}

TEST(CreateCommand, a_file_becomes_standard_input) {
  BoxNames names = small_names();
  names.input_file = "/run/u/task";
  const std::string line = line_of(create_command(small_plan(), names, {}));
  EXPECT_THAT(line, HasSubstr(" type=bind,source=/run/u/task,target=/sanduk-input,readonly "));
  EXPECT_THAT(line, HasSubstr(" --stdin /sanduk-input "));
}

TEST(CreateCommand, the_token_is_never_an_argument) {
  Plan plan = small_plan();
  plan.agent.argv.push_back("--key={token}");
  EXPECT_THROW(create_command(plan, small_names(), {}), std::logic_error);
}

TEST(CreateCommand, plans_that_cannot_be_are_our_bugs) {
  const auto refuses = [](auto change) {
    Plan plan = small_plan();
    change(plan);
    EXPECT_THROW(create_command(plan, small_names(), {}), std::logic_error);
  };
  refuses([](Plan& plan) { plan.transport = Transport::none; });
  refuses([](Plan& plan) { plan.agent.token_variable = ""; });
  refuses([](Plan& plan) { plan.agent.token_variable = "OTHER"; });
  refuses([](Plan& plan) { plan.agent.variables.push_back({"A=B", "x"}); });
}

TEST(CreateCommand, an_argument_that_no_kernel_takes_is_told_before) {
  Plan plan = small_plan();
  plan.task = std::string(131072, 'x');
  plan.agent.argv.back() = plan.task;
  try {
    create_command(plan, small_names(), {});
    FAIL();
  } catch (const RunError& error) {
    EXPECT_EQ(error.failure, Failure::profile);
    EXPECT_EQ(error.diagnostic.code, "argument-too-long");
    EXPECT_THAT(error.diagnostic.message, HasSubstr("131072 bytes"));
  }
  plan.task.pop_back();
  plan.agent.argv.back() = plan.task;
  EXPECT_NO_THROW(create_command(plan, small_names(), {}));
}

TEST(InheritedVariables, the_token_or_in_an_open_box_the_key) {
  Plan plan = small_plan();
  plan.agent.variables = {{"A", "{token}"}, {"B", "Bearer {token}"}, {"C", "c"}, {"D", "{token}@{relay}"}};
  const Secret token("T{relay}"), key("K");
  EXPECT_EQ(inherited_variables(plan, token, key),
            (std::map<std::string, std::string>{
                {"A", "T{relay}"}, {"B", "Bearer T{relay}"}, {"D", "T{relay}@http://127.0.0.1:8750"}}));
  plan.mode = NetworkMode::open;
  plan.transport = Transport::none;
  plan.agent.variables.pop_back();
  EXPECT_EQ(inherited_variables(plan, token, key).at("B"), "Bearer K");
}

TEST(BoxCommands, the_rest_of_a_boxs_life) {
  const BoxNames names = small_names();
  EXPECT_EQ(join(start_command(names), " "), "docker start --attach sanduk-0a1b");
  EXPECT_EQ(join(kill_command(names), " "), "docker kill sanduk-0a1b");
  EXPECT_EQ(join(remove_command(names), " "), "docker rm --force --volumes sanduk-0a1b");
  EXPECT_THAT(join(inspect_state_command(names), " "), HasSubstr("docker container inspect --format"));
}

TEST(ReadList, rows_and_what_is_none) {
  const std::vector<ListedBox> boxes =
      read_list("sanduk-1\trunning\tsanduk-1\t12\t34\t/s\nsanduk-2\texited\tsanduk-2\t5\t6\t\n");
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[0].owner_pid, 12);
  EXPECT_EQ(boxes[0].owner_start_time, "34");
  EXPECT_EQ(boxes[1].state, "exited");
  EXPECT_TRUE(read_list("").empty());
  EXPECT_THROW(read_list("Error: something\n"), RunError);
  EXPECT_THROW(read_list("a\tb\tc\tnot-a-number\te\tf\n"), RunError);
}

}  // namespace
}  // namespace sanduk
