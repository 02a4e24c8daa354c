#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "base/text.h"

namespace sanduk {
namespace {

constexpr std::chrono::milliseconds redraw_every(100);
constexpr std::size_t most_words = 16384;   // of one thing said
constexpr std::size_t most_pending = 4096;  // of a line that does not end
constexpr std::string_view erase_line = "\r\x1b[2K";

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

// "1 234 567"
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, " ");
  }
  return text;
}

// At most `width` characters of UTF-8 text.
std::string cut(const std::string& text, std::size_t width) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_one = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts_one && ++characters > width) return text.substr(0, i);
  }
  return text;
}

}  // namespace

// What is said of each event.
struct Progress::Words {
  Progress& on;

  void operator()(const RunStarted& event) const { on.say("run", event.run_id); }
  void operator()(const StepStarted& event) const {
    on.step_ = event.step;
    on.detail_ = event.detail;
    on.step_began_ = on.clock_();
    // Off a terminal, the step that takes long is told when it begins; the others when they have ended.
    if (!on.live_ && event.step == "agent") on.say("agent", event.detail);
  }
  void operator()(const StepEnded& event) const {
    on.say_pieces("\n");
    on.step_.clear();
    const bool told = !on.live_ && event.step != "agent";
    const std::string time = human_seconds(event.seconds);
    if (!event.failure.empty()) {
      on.say(event.step, "failed after " + time + ": " + event.failure);
    } else if (told || event.seconds >= 1) {
      on.say(event.step, (on.detail_.empty() ? "" : on.detail_ + " ") + "(" + time + ")");
    }
  }
  void operator()(const AgentSaid& event) const {
    switch (event.event.kind) {
      case AgentEvent::Kind::started:
        return on.say("  model", event.event.text);
      case AgentEvent::Kind::text:
        return on.say("  |", event.event.text);
      case AgentEvent::Kind::tool:
        return on.say("  >", event.event.tool + " " + event.event.text);
      case AgentEvent::Kind::retry:
        return on.say("  retry", event.event.text);
      case AgentEvent::Kind::error:
        return on.say("  error", event.event.text);
      case AgentEvent::Kind::result:
        return;  // the summary has it
    }
  }
  void operator()(const AgentPrinted& event) const { on.say_pieces(event.bytes); }
  void operator()(const CallEnded& event) const {
    ++on.calls_;
    on.tokens_ += event.call.usage.total;
    if (!on.json_calls_) return on.say("  call", call_line(event.call));
    on.say_pieces("\n");
    on.write_out(call_json(event.call) + "\n");
  }
  void operator()(const Note& event) const { on.say("note", event.text); }
  void operator()(const Tick&) const {}
};

Progress::Progress(bool live, bool quiet)
    : Progress(
          live, quiet, [](std::string_view text) { write_all(STDERR_FILENO, text); },
          [] { return std::chrono::steady_clock::now(); }, terminal_width()) {}

Progress::Progress(bool live, bool quiet, Sink sink, Clock clock, std::size_t width)
    : live_(live), quiet_(quiet), sink_(std::move(sink)), clock_(std::move(clock)), width_(width) {}

void Progress::listen(const Event& event) {
  if (quiet_) return;
  std::visit(Words{*this}, event);
  if (live_ && clock_() - drawn_at_ >= redraw_every) draw();
}

void Progress::finish() {
  if (quiet_) return;
  say_pieces("\n");
  if (line_is_up_) write_out(std::string(erase_line));
  line_is_up_ = false;
}

void Progress::say(std::string_view sign, std::string_view text) {
  std::string shown = printable(trim(text.substr(0, most_words)), true);
  if (text.size() > most_words) shown += " …";
  std::string lines = line_is_up_ ? std::string(erase_line) : "";
  line_is_up_ = false;
  for (const std::string& line : split(shown, '\n')) {
    lines += printable(sign);
    if (!line.empty()) lines += " " + line;
    lines += "\n";
  }
  write_out(lines);
}

void Progress::say_pieces(std::string_view bytes) {
  pending_ += bytes;
  std::size_t end = pending_.rfind('\n');
  if (end == std::string::npos && pending_.size() > most_pending) end = pending_.size();
  if (end == std::string::npos) return;
  const std::string whole = pending_.substr(0, end);
  pending_.erase(0, std::min(end + 1, pending_.size()));
  if (!trim(whole).empty()) say("  err", whole);
}

std::string Progress::live_line() const {
  const double seconds = std::chrono::duration<double>(clock_() - step_began_).count();
  std::string line = step_ + " " + human_seconds(seconds);
  if (!detail_.empty()) line += " · " + detail_;
  if (calls_ > 0) line += " · " + std::to_string(calls_) + (calls_ == 1 ? " call" : " calls");
  if (tokens_ > 0) line += " · " + grouped(tokens_) + " tokens";
  // One short of the width: a full line would make some terminals wrap.
  return cut(printable(line), width_ - 1);
}

void Progress::draw() {
  drawn_at_ = clock_();
  if (step_.empty()) return;
  write_out(std::string(erase_line) + live_line());
  line_is_up_ = true;
}

void Progress::write_out(const std::string& text) { sink_(text); }

}  // namespace sanduk
