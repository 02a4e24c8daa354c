// The words for Apple's `container`, and what its answers are taken for: in the shapes that its documents and sources
// show. None of it was recorded from a real one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "container/box.h"
#include "container/covers.h"
#include "diagnostics/diagnostic.h"
#include "support/engines.h"

namespace sanduk {
namespace {

using testing::HasSubstr;
using testing::Not;

BoxNames apple_names() {
  BoxNames names;
  names.run_id = names.network = "sanduk-0a1b";
  names.engine = test::engine_named("apple");
  names.image = "sanduk-claude:1";
  names.helper_directory = "/tmp/u/helper";
  names.guard_directory = "/tmp/u/guard";
  names.owner_pid = 42;
  names.owner_start_time = "99";
  names.state_directory = "/Users/me/state";
  names.relay_address = "192.168.65.1:4000";
  return names;
}

Plan apple_plan() {
  Plan plan;
  plan.transport = Transport::gateway;
  plan.agent.argv = {"agent"};
  plan.agent.variables = {{"BASE", "{relay}"}, {"KEY", "{token}"}};
  plan.agent.token_variable = "KEY";
  plan.workspace.host_path = "/Users/me/work";
  plan.user = {501, 20};
  plan.limits = {1.5, (std::int64_t{1} << 30) + 5, 512, 60};
  plan.read_only_root = true;
  plan.writable = {"/tmp"};
  return plan;
}

TEST(AppleWords, TheWholeOfASealedBox) {
  std::string line = join(create_command(apple_plan(), apple_names(), {}), " ");
  for (const char* proxy : {"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY", "ALL_PROXY"}) {
    for (const std::string& name : {std::string(proxy), lower(proxy)}) {
      line = replace_all(line, " --env " + name + "=", "");
      line = replace_all(line, " --drop-variable " + name, "");
    }
  }
  EXPECT_EQ(line,
            "container create --name sanduk-0a1b --label sanduk.run=sanduk-0a1b --label sanduk.owner-pid=42 "
            "--label sanduk.owner-start=99 --label sanduk.state=/Users/me/state --network sanduk-0a1b --no-dns "
            "--cap-drop ALL --user 501:20 --memory 1024M --cpus 1 --ulimit core=0 --workdir /work "
            "--mount type=bind,source=/Users/me/work,target=/work "
            "--mount type=bind,source=/tmp/u/helper,target=/sanduk,readonly --env BASE=http://127.0.0.1:8750 --env KEY "
            "--entrypoint /sanduk/box sanduk-claude:1 --socket 192.168.65.1:4000 --port 8750 --token-variable KEY "
            "--processes 512 --file-size 16 --probe-writable /work -- agent");
}

TEST(AppleWords, TheRestOfABoxsLife) {
  const BoxNames names = apple_names();
  EXPECT_EQ(join(remove_command(names), " "), "container delete --force sanduk-0a1b");
  EXPECT_EQ(join(attach_command(names), " "), "container logs --follow sanduk-0a1b");
  EXPECT_EQ(join(inspect_state_command(names), " "), "container inspect sanduk-0a1b");
  EXPECT_EQ(join(list_command(names.engine), " "), "container list --all --format json");
  EXPECT_EQ(join(remove_network_command(names), " "), "container network delete sanduk-0a1b");
  EXPECT_EQ(join(inspect_image_command(names.engine, "x:1"), " "), "container image inspect x:1");
  EXPECT_THAT(join(start_holder_command(names), " "), HasSubstr("container run --detach --name sanduk-0a1b-hold "));
  EXPECT_THAT(join(start_holder_command(names), " "), Not(HasSubstr("--security-opt")));
}

TEST(AppleWords, ItsListOfContainers) {
  const auto boxes = read_list(
      R"([{"id":"sanduk-1","configuration":{"id":"sanduk-1","labels":{"sanduk.run":"sanduk-1","sanduk.owner-pid":"12",
          "sanduk.owner-start":"34","sanduk.state":"/s"}},"status":{"state":"running"}},
         {"status":"stopped","configuration":{"id":"sanduk-2","labels":{"sanduk.run":"sanduk-2"}}},
         {"status":"running","configuration":{"id":"other","labels":{}}}])",
      test::engine_named("apple"));
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[0].state, "running");
  EXPECT_EQ(boxes[0].owner_pid, 12);
  EXPECT_EQ(boxes[0].state_directory, "/s");
  EXPECT_EQ(boxes[1].state, "exited");
  for (const char* answer : {"", "nonsense", "{}", "[1]", "[{}]", R"([{"configuration":{}}])"})
    EXPECT_THROW(read_list(answer, test::engine_named("apple")), RunError) << answer;
  EXPECT_TRUE(read_list("[]", test::engine_named("apple")).empty());
}

TEST(AppleWords, ItsImagesStatesAndGateways) {
  const PlannedEngine engine = test::engine_named("apple");
  const ImageAnswer image = read_image(
      R"([{"name":"x","index":{"digest":"sha256:ab"},"variants":[{"config":{"config":{"Labels":{"sanduk.agent-uid":"501"}}}}]}])",
      engine);
  EXPECT_EQ(image.id, "sha256:ab");
  EXPECT_EQ(image.agent_uid, "501");
  EXPECT_EQ(read_state(R"([{"status":"running","configuration":{"id":"a"}}])", engine).status, "running");
  EXPECT_EQ(read_state("[]", engine).status, "");
  EXPECT_EQ(read_gateway(R"([{"id":"n","status":{"ipv4Gateway":"192.168.65.1"}}])", engine, false), "192.168.65.1");
}

TEST(Networks, AreFoundByTheirLabelsOnEveryEngine) {
  const std::string labels =
      R"({"sanduk.run":"n","sanduk.owner-pid":"7","sanduk.owner-start":"8","sanduk.state":"/s"})";
  for (const std::string& answer :
       {R"([{"Name":"n","Labels":)" + labels + "}]", R"([{"name":"n","labels":)" + labels + "}]",
        R"([{"id":"n","configuration":{"labels":)" + labels + "}}]"}) {
    const std::vector<ListedBox> found = read_networks(answer);
    ASSERT_EQ(found.size(), 1U) << answer;
    EXPECT_EQ(found[0].name, "n");
    EXPECT_EQ(found[0].owner_pid, 7);
    EXPECT_EQ(found[0].state_directory, "/s");
  }
  EXPECT_TRUE(read_networks(R"([{"Name":"bridge","Labels":{}},{"Name":"x","Labels":null}])").empty());
  EXPECT_THROW(read_networks("nonsense"), RunError);
}

}  // namespace
}  // namespace sanduk
