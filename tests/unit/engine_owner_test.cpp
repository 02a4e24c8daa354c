#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/owner.h"
#include "engine_support.h"

namespace sanduk::test {
namespace {

TEST(Owner, ThisProcessIsAlive) {
  EXPECT_EQ(this_process().pid, getpid());
  EXPECT_FALSE(this_process().start_time.empty());
  EXPECT_TRUE(is_alive(this_process()));
}

TEST(Owner, ANumberThatWasTakenAgainIsAnotherProcess) {
  Owner earlier = this_process();
  earlier.start_time = "1";
  EXPECT_FALSE(is_alive(earlier));
}

TEST(Owner, AnEndedProcessIsDeadEvenBeforeItIsWaitedFor) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const Owner owner = process(child);
  EXPECT_TRUE(is_alive(owner));
  kill(child, SIGKILL);
  EXPECT_TRUE(eventually([&] { return !is_alive(owner); })) << "a zombie counts as alive";
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_alive(owner));
}

TEST(Owner, NobodyIsDead) {
  EXPECT_FALSE(is_alive({}));
  EXPECT_FALSE(is_alive({-1, ""}));
  EXPECT_FALSE(is_alive({999999999, ""}));
}

}  // namespace
}  // namespace sanduk::test
