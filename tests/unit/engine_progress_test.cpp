#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/progress.h"

namespace sanduk::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Shown : public testing::Test {
 protected:
  void show(bool live, bool quiet = false) {
    progress_ = std::make_unique<Progress>(
        live, quiet, [this](std::string_view text) { text_ += text, ++writes_; }, [this] { return now_; }, 60);
  }
  void pass(int milliseconds) { now_ += std::chrono::milliseconds(milliseconds); }
  void tell(const Event& event) { progress_->listen(event); }
  void tell_a_run() {
    CallRecord call;
    call.method = "POST";
    call.path = "/v1/messages";
    call.status = 200;
    call.completion = true;
    call.usage.in = 1200;
    call.usage.total = 1234567;
    tell(RunStarted{"20260102-030405-0123456789ab", "/record"});
    tell(StepStarted{"image", "sanduk-claude:1"});
    tell(StepEnded{"image", 0.02, ""});
    tell(StepStarted{"agent", "claude"});
    tell(AgentSaid{{AgentEvent::Kind::text, "I shall\nlook.", ""}});
    tell(AgentSaid{{AgentEvent::Kind::tool, "REPORT.md", "Write"}});
    tell(AgentSaid{{AgentEvent::Kind::retry, "529, again in 2s", ""}});
    tell(AgentPrinted{"half a li"});
    tell(AgentPrinted{"ne\n"});
    tell(CallEnded{call});
    tell(StepEnded{"agent", 75, ""});
    tell(Note{"report-missing: none"});
  }

  std::string text_;
  int writes_ = 0;
  std::chrono::steady_clock::time_point now_{std::chrono::hours(1)};
  std::unique_ptr<Progress> progress_;  // last: it writes when it goes
};

TEST_F(Shown, AsPlainLinesOffATerminal) {
  show(false);
  tell_a_run();
  progress_->finish();
  EXPECT_EQ(text_,
            "run 20260102-030405-0123456789ab\n"
            "image sanduk-claude:1 (0.0s)\n"
            "agent claude\n"
            "  | I shall\n"
            "  | look.\n"
            "  > Write REPORT.md\n"
            "  retry 529, again in 2s\n"
            "  err half a line\n"
            "  call POST /v1/messages -> 200 in=1200\n"
            "agent claude (1m 15s)\n"
            "note report-missing: none\n");
  EXPECT_EQ(text_.find('\x1b'), std::string::npos);
}

TEST_F(Shown, NotAtAllWhenQuiet) {
  show(true, true);
  tell_a_run();
  progress_->finish();
  EXPECT_EQ(text_, "");
}

TEST_F(Shown, WithALineThatIsRedrawnOnATerminal) {
  show(true);
  tell_a_run();
  tell(StepStarted{"agent", "claude"});
  pass(12300);
  text_.clear();
  tell(Tick{});
  EXPECT_EQ(text_, "\r\x1b[2Kagent 12.3s · claude · 1 call · 1 234 567 tokens");
  text_.clear();
  tell(AgentSaid{{AgentEvent::Kind::text, "hm", ""}});
  EXPECT_EQ(text_, "\r\x1b[2K  | hm\n");
  text_.clear();
  progress_->finish();
  EXPECT_EQ(text_, "") << "no line is up";
  pass(200);
  tell(Tick{});
  text_.clear();
  progress_->finish();
  EXPECT_EQ(text_, "\r\x1b[2K");
}

TEST_F(Shown, AtMostTenTimesASecond) {
  show(true);
  tell(StepStarted{"agent", "claude"});
  writes_ = 0;
  for (int i = 0; i < 1000; ++i) {
    pass(1);
    tell(Tick{});
  }
  EXPECT_LE(writes_, 10);
  EXPECT_GE(writes_, 9);
}

TEST_F(Shown, InOneLineOfTheTerminalsWidth) {
  show(true);
  tell(StepStarted{"agent", std::string(200, 'x')});
  pass(200);
  text_.clear();
  tell(Tick{});
  EXPECT_EQ(text_.size(), 5 + 59 + 1U) << "the dot is two bytes";
}

TEST_F(Shown, WithoutAnythingThatATerminalObeys) {
  for (const bool live : {false, true}) {
    text_.clear();
    show(live);
    const std::string evil =
        "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b"
        "31m\r\xe2\x80\xae evil";
    tell(StepStarted{"agent", evil});
    tell(AgentSaid{{AgentEvent::Kind::text, evil, ""}});
    tell(AgentSaid{{AgentEvent::Kind::tool, evil, evil}});
    tell(AgentPrinted{evil + "\n"});
    tell(Note{evil});
    tell(StepEnded{"agent", 0, evil});
    CallRecord call;
    call.method = evil;
    call.path = evil;
    tell(CallEnded{call});
    pass(500);
    tell(Tick{});
    progress_->finish();
    EXPECT_THAT(text_, Not(HasSubstr("\x1b]")));
    EXPECT_THAT(text_, Not(HasSubstr("\x1b[2J")));
    EXPECT_THAT(text_, Not(HasSubstr("\x07")));
    EXPECT_THAT(text_, Not(HasSubstr("\xe2\x80\xae")));
    EXPECT_THAT(text_, HasSubstr("evil"));
  }
}

TEST_F(Shown, WithBoundsOnWhatIsSaid) {
  show(false);
  tell(AgentSaid{{AgentEvent::Kind::text, std::string(1 << 20, 'x'), ""}});
  for (int i = 0; i < 1000; ++i) tell(AgentPrinted{std::string(1000, 'y')});
  EXPECT_LT(text_.size(), 1300000U);
  EXPECT_THAT(text_, HasSubstr(" …\n"));
}

}  // namespace
}  // namespace sanduk::test
