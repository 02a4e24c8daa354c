#include <gtest/gtest.h>

#include "engine/pump.h"
#include "engine/stop_signals.h"
#include "engine_support.h"

namespace sanduk::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Child shell(const std::string& script) {
  return Child::start({.argv = {"sh", "-c", script}, .variables = {}, .input = {}});
}

TEST(Pump, ReadsBothStreamsToTheEnd) {
  Child child = shell("echo out; echo err >&2; exit 3");
  std::string output;
  std::string errors;
  Pump pump(child, {.output = [&](std::string_view b) { output += b; },
                    .errors = [&](std::string_view b) { errors += b; },
                    .tick = {}});
  EXPECT_EQ(pump.run(Pump::Time::max(), -1, -1), Pump::End::ended);
  EXPECT_EQ(output, "out\n");
  EXPECT_EQ(errors, "err\n");
  EXPECT_EQ(child.poll(), 3);
}

TEST(Pump, EndsAtTheDeadlineOfASilentChild) {
  Child child = shell("sleep 30");
  Pump pump(child, {});
  const auto begin = Clock::now();
  EXPECT_EQ(pump.run(begin + milliseconds(100), -1, -1), Pump::End::deadline);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(25));
}

TEST(Pump, EndsAtTheDeadlineOfAChildThatHasClosedItsStreams) {
  Child child = shell("exec >&- 2>&-; sleep 30");
  Pump pump(child, {});
  EXPECT_EQ(pump.run(Clock::now() + milliseconds(100), -1, -1), Pump::End::deadline);
}

TEST(Pump, EndsAtTheDeadlineOfAFlood) {
  Child child = shell("yes");
  Pump pump(child, {});
  const auto begin = Clock::now();
  EXPECT_EQ(pump.run(begin + milliseconds(200), -1, -1), Pump::End::deadline);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(25));
}

TEST(Pump, DoesNotWaitForWhoeverElseHoldsThePipes) {
  Child child = shell("sleep 30 & echo done");
  std::string output;
  Pump pump(child, {.output = [&](std::string_view b) { output += b; }, .errors = {}, .tick = {}});
  const auto begin = Clock::now();
  EXPECT_EQ(pump.run(begin + std::chrono::seconds(28), -1, -1), Pump::End::ended);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(25));
  EXPECT_EQ(output, "done\n");
}

TEST(Pump, DoesNotListenForEverToWhoeverElseWrites) {
  Child child = shell("yes & sleep 0.1");
  Pump pump(child, {});
  const auto begin = Clock::now();
  EXPECT_EQ(pump.run(begin + std::chrono::seconds(28), -1, -1), Pump::End::ended);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(25));
  child.signal_group(SIGKILL);
}

TEST(Pump, LosesNothingThatWasWrittenHoweverSlowItIsRead) {
  Child child = shell("head -c 60000 /dev/zero; (sleep 30 &) ; exit 0");
  std::size_t got = 0;
  Pump pump(child, {.output =
                        [&](std::string_view b) {
                          std::this_thread::sleep_for(milliseconds(150));
                          got += b.size();
                        },
                    .errors = {},
                    .tick = {}});
  EXPECT_EQ(pump.run(Clock::now() + std::chrono::seconds(28), -1, -1), Pump::End::ended);
  EXPECT_EQ(got, 60000U);
}

TEST(Pump, WakesForASignalAndForAWord) {
  Child child = shell("sleep 30");
  Pump pump(child, {});
  StopPipe stop;
  stop.send(SIGTERM);
  EXPECT_EQ(pump.run(Pump::Time::max(), stop.fd(), -1), Pump::End::stop);
  EXPECT_EQ(pump.run(Pump::Time::max(), -1, stop.fd()), Pump::End::wake);
  EXPECT_EQ(pump.run(Clock::now() + milliseconds(10), -1, -1), Pump::End::deadline) << "and can go on";
}

TEST(Pump, TicksWhileNothingHappens) {
  Child child = shell("sleep 30");
  int ticks = 0;
  Pump pump(child, {.output = {}, .errors = {}, .tick = [&] { ++ticks; }});
  pump.run(Clock::now() + milliseconds(550), -1, -1);
  EXPECT_GE(ticks, 1);
  EXPECT_LE(ticks, 6);
}

TEST(StopSignals, ArriveAsBytesAndAreRestored) {
  int taken = 0;
  {
    const StopSignals signals;
    EXPECT_EQ(take_stop_signal(signals.fd()), 0);
    raise(SIGTERM);
    raise(SIGINT);
    taken = take_stop_signal(signals.fd());
    EXPECT_EQ(take_stop_signal(signals.fd()), SIGINT);
    raise(SIGPIPE);  // ignored
  }
  EXPECT_EQ(taken, SIGTERM);
  struct sigaction now {};
  sigaction(SIGTERM, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
  EXPECT_EQ(take_stop_signal(-1), 0);
}

TEST(StopSignals, LeaveWhatWasIgnoredIgnored) {
  signal(SIGHUP, SIG_IGN);
  {
    const StopSignals signals;
    raise(SIGHUP);
    EXPECT_EQ(take_stop_signal(signals.fd()), 0);
  }
  signal(SIGHUP, SIG_DFL);
}

}  // namespace
}  // namespace sanduk::test
