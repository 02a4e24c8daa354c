// Questions to an engine about itself and its images, and what its answers mean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "container/engine_ready.h"
#include "container/image.h"

namespace sanduk {
namespace {

using State = EngineAnswer::State;

ProcessResult answer(int code, std::string output, std::string errors) {
  ProcessResult result;
  result.started = true;
  result.exit_code = code;
  result.output = std::move(output);
  result.errors = std::move(errors);
  return result;
}

TEST(EngineReady, asks_the_daemon) {
  EXPECT_EQ(join(ready_command("docker"), " "), "docker version --format {{.Server.Version}}");
  EXPECT_EQ(join(ready_command("podman"), " "), "podman info --format {{.Version.Version}}");
}

TEST(EngineReady, every_way_not_to_answer_has_words_of_its_own) {
  EXPECT_EQ(read_ready("docker", answer(0, "20.10.24+dfsg1\n", "")).version, "20.10.24+dfsg1");

  ProcessResult missing;
  missing.error = "No such file or directory";
  EXPECT_EQ(read_ready("docker", missing).state, State::not_installed);
  EXPECT_EQ(read_ready("docker", missing).message, "docker is not installed");

  const EngineAnswer stopped = read_ready(
      "docker",
      answer(1, "\n",
             "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n"));
  EXPECT_EQ(stopped.state, State::stopped);
  EXPECT_EQ(stopped.message, "docker is installed, but its daemon does not run");
  EXPECT_THAT(stopped.help, testing::HasSubstr("systemctl start docker"));

  const EngineAnswer forbidden = read_ready(
      "docker",
      answer(1, "",
             "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: "
             "dial unix /var/run/docker.sock: connect: permission denied\n"));
  EXPECT_EQ(forbidden.state, State::forbidden);
  EXPECT_THAT(forbidden.help, testing::HasSubstr("usermod -aG docker"));

  ProcessResult silent = answer(-1, "", "");
  silent.timed_out = true;
  EXPECT_EQ(read_ready("docker", silent).state, State::silent);

  EXPECT_EQ(read_ready("podman", answer(125, "", "Error: \x1b[31mbroken\n")).state, State::failing);
  EXPECT_EQ(read_ready("podman", answer(125, "", "Error: \x1b[31mbroken\n")).detail.find('\x1b'), std::string::npos);
  // A client that answers for a daemon that is not there.
  EXPECT_NE(read_ready("docker", answer(0, "<no value>\n", "")).state, State::ready);
}

TEST(Image, facts) {
  EXPECT_THAT(image_facts_command("docker", "a:1").back(), "a:1");
  const ImageFacts facts = read_image_facts("sha256:ab\t1000\t1001\t1000:1001\n");
  EXPECT_EQ(facts.id, "sha256:ab");
  EXPECT_EQ(facts.agent_uid, 1000);
  EXPECT_EQ(facts.agent_gid, 1001);
  EXPECT_EQ(facts.user, "1000:1001");
  EXPECT_EQ(read_image_facts("sha256:ab\t\t<no value>\t\n").agent_uid, std::nullopt);
  EXPECT_EQ(read_image_facts("").id, "");
}

TEST(Image, build) {
  PlannedImage image;
  image.ref = "sanduk-claude:1";
  image.build_arguments = {{"AGENT_UID", "1000"}};
  EXPECT_EQ(
      join(build_command("docker", image, "/context", "/file", {"HTTPS_PROXY"}), " "),
      "docker build --force-rm --tag sanduk-claude:1 --file /file --build-arg AGENT_UID=1000 --build-arg HTTPS_PROXY "
      "/context");
  image.rebuild = true;
  EXPECT_THAT(build_command("docker", image, "/context", "/file"), testing::Contains("--no-cache"));
}

}  // namespace
}  // namespace sanduk
