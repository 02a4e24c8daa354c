// The words for a run's network on each engine, and what their answers are taken for. The answers are recorded ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "container/box.h"
#include "diagnostics/diagnostic.h"
#include "support/engines.h"

namespace sanduk {
namespace {

using testing::HasSubstr;

constexpr const char* docker_says =
    R"([{"Name":"n","Driver":"bridge","IPAM":{"Driver":"default","Config":[{"Subnet":"172.18.0.0/16","Gateway":"172.18.0.1"}]},"Internal":true}])";
constexpr const char* podman_says =
    R"([{"name":"n","driver":"bridge","subnets":[{"subnet":"10.89.0.0/24","gateway":"10.89.0.1"}],"internal":true}])";

std::string code_of(const char* answer, const char* engine, bool leads_out) {
  try {
    read_gateway(answer, test::engine_named(engine), leads_out);
    return "none";
  } catch (const RunError& fault) {
    return fault.diagnostic.code;
  }
}

TEST(RunNetwork, TheGatewayIsFoundWhereEachEngineSaysIt) {
  EXPECT_EQ(read_gateway(docker_says, test::engine_named("docker"), false), "172.18.0.1");
  EXPECT_EQ(read_gateway(podman_says, test::engine_named("podman"), false), "10.89.0.1");
}

TEST(RunNetwork, ARoutableNetworkOrNoAnswerIsNone) {
  const std::string routable = replace_all(docker_says, "\"Internal\":true", "\"Internal\":false");
  EXPECT_EQ(code_of(routable.c_str(), "docker", false), "network-routable");
  EXPECT_EQ(code_of(routable.c_str(), "docker", true), "none");
  for (const char* answer :
       {"", "[]", "{}", "[{\"IPAM\":{\"Config\":null}}]", "nonsense", "[{\"IPAM\":{\"Config\":[]}}]"})
    EXPECT_EQ(code_of(answer, "docker", false), "engine-answer") << answer;
}

TEST(RunNetwork, IsAskedForInTheEnginesWords) {
  BoxNames names;
  names.run_id = names.network = "sanduk-1";
  names.engine = test::engine_named("docker");
  const std::string create = join(create_network_command(names, false), " ");
  EXPECT_THAT(create, HasSubstr("docker network create --internal --label sanduk.run=sanduk-1 "));
  EXPECT_TRUE(create.ends_with(" sanduk-1"));
  EXPECT_THAT(join(create_network_command(names, true), " "), testing::Not(HasSubstr("--internal")));
  EXPECT_EQ(join(remove_network_command(names), " "), "docker network rm sanduk-1");
}

TEST(RunNetwork, PortsThatAnsweredAreNamed) {
  EXPECT_EQ(reachable_host_ports(R"({"host_ports":[{"port":22,"outcome":"ok"},{"port":80,"outcome":"ETIMEDOUT"}]})"),
            std::vector<std::string>{"22"});
  EXPECT_TRUE(reachable_host_ports("{}").empty());
  EXPECT_TRUE(reachable_host_ports("nonsense").empty());
}

}  // namespace
}  // namespace sanduk
