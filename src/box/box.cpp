// The entry point inside the box, PID 1 of it for the whole run: tests the box from inside, tells the host, and only
// with the host's consent starts the agent; carries its calls to the relay; ends with it, and everything else ends with
// PID 1.
//
//   box --socket PATH --port PORT --token-variable NAME [OPTIONS] -- PROGRAM [ARGUMENT…]
//   box --no-relay [OPTIONS] -- PROGRAM [ARGUMENT…]
//   box --print-report [OPTIONS]
//   box --hold              does nothing until it is ended: some engines keep a network only while a container is in it
//
//   --socket PATH           the relay's unix socket, or ADDRESS:PORT where the box has a network of its own
//   --probe-port N          tried at the relay's address and told: another service of the host, not to be reached
//   --port PORT             listen on 127.0.0.1:PORT and carry every connection to that socket
//   --token-variable NAME   the variable that holds the run token, presented with the report
//   --probe-writable DIR    must be writable: tried, and told in the report (repeatable, 512 at most, as all lists)
//   --probe-protected PATH  must hold against writing, replacing and moving away, and so must its parents below the
//                           --probe-writable directory that holds it: tried, undone where it works, and told
//   --processes N           where the engine cannot count the box's processes: N for the box's user, counted by the
//   kernel
//   --file-size N           no file of the box may grow beyond N GiB
//   --drop-variable NAME    not handed to the agent
//   --stdin FILE            the agent's standard input; default /dev/null. A task longer than 128 KiB goes this way:
//                           the kernel takes no longer argument
//   --terminal              the agent keeps the terminal on standard input, and is what is typed to
//   --no-relay              mode open: nobody judges the report and nothing is carried; the helper itself then refuses
//   a
//                           box with capabilities, with new privileges, or whose paths do not hold
//   --consent FILE          with --no-relay: the report is the first line of standard output, and the host judges it:
//                           the program is started when it has made FILE, in a directory that the box can only read
//   --print-report          the report on standard output, and no more
//
// The report is one JSON object, sent as POST /.sanduk/box-report; container/box_report.h says what the host makes of
// it.
//
// Exit codes: the agent's own, 128+N when signal N ended it; 126, 127 the agent cannot be executed, is not there; 125
// the helper refused or failed, with "sanduk box: WORDS" on standard error and no agent started.
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "box/agent.h"
#include "box/arguments.h"
#include "box/facts.h"
#include "box/harden.h"
#include "box/pump.h"
#include "box/report.h"
#include "box/text.h"

namespace sanduk::box {
namespace {

constexpr int report_format = 1;
constexpr std::size_t most_report = std::size_t{1000} << 10;  // the relay takes 1 MiB

void make_report(Text& text, const Arguments& arguments, const Found& found, int filter_code, int listen_code) {
  Json report(text);
  report.begin('{');
  report.field("report", report_format);
  report.field("pid", static_cast<long long>(getpid()));
  report.field("listener", outcome(listen_code));
  report.field("filter", outcome(filter_code));
  report.key("found");
  report.begin('{');
  report.flag("no_new_privileges", found.no_new_privileges);
  report.field("seccomp", found.seccomp);
  report.end('}');
  add_network_facts(report, arguments);
  add_process_facts(report);
  add_workspace_facts(report, arguments);
  add_container_facts(report);
  report.flag("complete", !text.overflow());
  report.end('}');
}

// Without a relay there is no host to judge: the few facts that hold in every mode are judged here.
bool holds_alone(Text& report, Text& words) {
  const char* text = report.c_str();
  if (strstr(text, "\"effective\":\"0000000000000000\"") == nullptr) words.add("the box has capabilities; ");
  if (strstr(text, "\"no_new_privileges\":true") == nullptr) words.add("new privileges can be gained; ");
  for (const char* at = text; (at = strstr(at, "\"kind\":\"")) != nullptr; ++at) {
    if (starts_with(at, "\"kind\":\"link\"")) words.add("a protected path is a link; ");
  }
  if (strstr(text, "\"write\":\"ok\"") != nullptr) words.add("a protected path can be written; ");
  if (strstr(text, "\"rename\":\"ok\"") != nullptr) words.add("a protected path can be moved away; ");
  for (const char* at = text; (at = strstr(at, "\"outcome\":\"E")) != nullptr; ++at) {
    // Name servers have outcomes as well; theirs stand before "vsock".
    if (at > strstr(text, "\"writable\":")) words.add("the workspace cannot be written; ");
  }
  return words.size() == 0;
}

int refuse(const char* words, const char* detail = nullptr) {
  say(words, detail);
  return exit_refused;
}

bool print_line(Text& report) {
  report.add('\n');
  std::size_t done = 0;
  while (done < report.size()) {
    const ssize_t wrote = write(STDOUT_FILENO, report.data() + done, report.size() - done);
    if (wrote < 0 && errno != EINTR) return false;
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
  return true;
}

// The host's word that the box is what was planned.
bool consented(const char* file) {
  constexpr int most_milliseconds = 20'000;
  constexpr int pause_milliseconds = 10;
  for (int waited = 0; waited < most_milliseconds; waited += pause_milliseconds) {
    if (access(file, F_OK) == 0) return true;
    poll(nullptr, 0, pause_milliseconds);
  }
  return false;
}

int serve(int epoll, int signals, pid_t agent, Pump& pump) {
  epoll_event events[128];
  for (;;) {
    const int count = epoll_wait(epoll, events, 128, pump.patience());
    int code = -1;
    for (int i = 0; i < count; ++i) {
      if (events[i].data.ptr == nullptr) {
        code = handle_signals(signals, agent);
      } else {
        pump.handle(events[i]);
      }
    }
    pump.finish_batch();
    if (code >= 0) return code;
  }
}

int run(const Arguments& arguments) {
  if (arguments.hold) {
    for (;;) pause();
  }
  const Found found = find_restrictions();
  limit_resources(arguments.processes, arguments.file_gigabytes);
  const int filter_code = restrict_system_calls();
  const int signals = take_signals();
  const int listener = arguments.port > 0 ? listen_on_loopback(arguments.port) : -1;
  const int listen_code = arguments.port > 0 && listener < 0 ? errno : 0;

  // Nothing of the agent's has run yet: what is seen now is what the engine made.
  Text report(most_report);
  make_report(report, arguments, found, filter_code, listen_code);
  if (arguments.print_report) {
    return print_line(report) ? 0 : exit_refused;
  }
  Text words;
  if (arguments.consent != nullptr) {
    if (!print_line(report)) return refuse("cannot print the report", outcome(errno));
    if (!consented(arguments.consent)) return refuse("the host did not consent to this box");
  } else if (arguments.no_relay) {
    if (!holds_alone(report, words)) return refuse("this box is not what was planned", words.c_str());
  } else {
    const char* token = getenv(arguments.token_variable);
    if (token == nullptr || *token == '\0') return refuse("no run token in the variable", arguments.token_variable);
    if (!deliver_report(arguments.socket, token, report, words)) return refuse(words.c_str());
    if (listener < 0) return refuse("cannot listen for the agent's calls", outcome(listen_code));
  }

  // Beyond this point the host has consented.
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0 || signals < 0) return refuse("cannot wait for events", outcome(errno));
  forbid_tracing();
  epoll_event on_signal{};
  on_signal.events = EPOLLIN;
  epoll_ctl(epoll, EPOLL_CTL_ADD, signals, &on_signal);
  Pump pump(epoll, listener, arguments.socket);
  const pid_t agent = start_agent(arguments);
  if (agent < 0) return refuse("cannot start the agent", outcome(errno));
  return serve(epoll, signals, agent, pump);
}

}  // namespace
}  // namespace sanduk::box

int main(int argc, char** argv) {
  using namespace sanduk::box;
  close_inherited();
  static Arguments arguments;
  if (!read_arguments(argc, argv, arguments)) return exit_refused;
  return run(arguments);
}
