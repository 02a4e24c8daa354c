#include "relay/key.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "relay/forward.h"
#include "relay/limits.h"
#include "relay/proxy.h"
#include "relay/upstream.h"

namespace sanduk {
namespace {

constexpr std::size_t most_bytes = 65536;

[[noreturn]] void fail(std::string code, std::string message, std::string help) {
  throw RunError(Failure::host, error(std::move(code), std::move(message)).with_help(std::move(help)));
}

// A file or a program ends its output with a line break, which is no part of the key.
void drop_line_end(std::string& text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
}

void wipe(std::string& text) {
  volatile char* bytes = text.data();
  for (std::size_t i = 0; i < text.size(); ++i) bytes[i] = 0;
  text.clear();
}

Secret checked(std::string text, const std::string& from, bool optional, const std::string& absent_help) {
  const bool clean = std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  const bool empty = text.empty();
  Secret key(text);
  wipe(text);
  if (empty && optional) return {};
  if (empty) fail("missing-key", "the API key in " + from + " is empty", absent_help);
  if (!clean) {
    fail("unreadable-key", "the API key in " + from + " holds a blank, a line break or a character that is not ASCII",
         "check how it was stored; a key is one word");
  }
  return key;
}

Secret from_variable(const std::string& name, const PlannedRelay& plan, World& world) {
  const std::string help = "export " + name + "=…, or set provider.key to file:PATH or command:ARGV";
  std::optional<std::string> value = world.variable(name);
  if (value) return checked(std::move(*value), "the variable " + name, plan.key_optional, help);
  if (plan.key_optional) return {};
  fail("missing-key", "the API key is missing: the variable " + name + " is not set", help);
}

Secret from_file(const std::string& path, const PlannedRelay& plan) {
  FileResult<std::string> text = read_file(path, most_bytes);
  if (!text) fail("unreadable-key", text.error().message, "put the key into that file, readable for you alone");
  drop_line_end(*text);
  return checked(std::move(*text), path, plan.key_optional, "put the key into that file");
}

// Words are split at blanks: a command that needs more belongs into a script.
Secret from_command(const std::string& line, const PlannedRelay& plan, World& world) {
  Command command;
  for (const std::string& word : split(line, ' ')) {
    if (!word.empty()) command.argv.push_back(word);
  }
  if (command.argv.empty()) fail("unreadable-key", "provider.key names no command", "write command:PROGRAM ARGUMENTS");
  ProcessResult result = world.run(command, std::chrono::seconds(30));
  const std::string from = "the output of `" + command.argv[0] + "`";
  if (!result.started) fail("unreadable-key", result.error, "check provider.key");
  if (!result.ok()) {
    wipe(result.output);
    fail("unreadable-key",
         "`" + command.argv[0] + "` gave no key: " +
             (result.timed_out ? "it took longer than 30 s" : "it ended with code " + std::to_string(result.exit_code)),
         "run it by hand to see why");
  }
  drop_line_end(result.output);
  return checked(std::move(result.output), from, plan.key_optional, "run it by hand to see what it prints");
}

// Sets `stop` when `fd` becomes readable, as long as it lives.
class StopWatch {
 public:
  StopWatch(int fd, StopEvent& stop)
      : thread_([this, fd, &stop] {
          std::array<pollfd, 2> fds = {pollfd{fd, POLLIN, 0}, pollfd{done_.fd(), POLLIN, 0}};
          while (poll(fds.data(), fds.size(), -1) < 0) {
          }
          if (fds[0].revents != 0) stop.set();
        }) {}
  ~StopWatch() {
    done_.set();
    thread_.join();
  }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

 private:
  StopEvent done_;  // before the thread that waits for it
  std::thread thread_;
};

}  // namespace

Secret read_key(const PlannedRelay& plan, World& world) {
  const std::string& source = plan.key_source;
  const std::size_t colon = source.find(':');
  const std::string kind = source.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : source.substr(colon + 1);
  if (kind == "none" || source.empty()) return {};
  if (kind == "env") return from_variable(rest, plan, world);
  if (kind == "file") return from_file(rest, plan);
  if (kind == "command") return from_command(rest, plan, world);
  fail("unreadable-key", "the source of the API key is none of env:NAME, file:PATH, command:ARGV and none",
       "never put the key itself into a profile");
}

void check_key(const PlannedRelay& plan, const Secret& key, const World& world) {
  if (!plan.key_check || !plan.upstream) return;
  Limits limits;
  limits.connect_total = std::chrono::seconds(5);
  limits.answer_idle = std::chrono::seconds(10);
  StopEvent stop;
  const StopWatch watch(world.stop_fd, stop);
  UpstreamSource source(plan, key, proxy_for(*plan.upstream, world), limits, stop);
  Headers headers;
  for (const Variable& header : plan.key_check->headers) headers.push_back({header.name, header.value});
  Question question;
  question.method = "GET";
  question.path = plan.key_check->path;
  question.headers = &headers;
  auto asked = source.ask(question);
  const std::string provider = plan.provider + " (" + host_header(*plan.upstream) + ")";
  if (const auto* const none = std::get_if<NoAnswer>(&asked)) {
    if (none->reason == NoAnswer::Reason::stopped) return;  // the caller sees it, too
    fail("upstream-unreachable", "cannot ask " + provider + " whether the key is good: " + none->refusal.why,
         "check the network and provider.upstream");
  }
  const int status = std::get<std::unique_ptr<Answer>>(asked)->head().status;
  if (status == 401 || status == 403) {
    fail("key-refused", provider + " refuses the API key (status " + std::to_string(status) + ")",
         "check the key in " + plan.key_source.substr(0, plan.key_source.find(' ')));
  }
}

}  // namespace sanduk
