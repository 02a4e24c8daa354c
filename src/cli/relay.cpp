// sanduk relay FILE: the relay alone, for any client on this host.
#include "relay/relay.h"

#include <poll.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/profile_call.h"
#include "diagnostics/render.h"
#include "engine/stop_signals.h"
#include "relay/key.h"

namespace sanduk {
namespace {

struct ListenAddress {
  std::string host = "127.0.0.1";
  int port = 0;
};

std::optional<ListenAddress> parse_listen(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  std::string host = text.substr(0, colon);
  if (host.starts_with("[") && host.ends_with("]")) host = host.substr(1, host.size() - 2);
  const std::optional<std::int64_t> port = parse_decimal(text.substr(colon + 1));
  if (!port || *port > 65535) return std::nullopt;
  return ListenAddress{host, static_cast<int>(*port)};
}

// Where bodies go when the profile names no place: a folder of its own below the state directory.
std::string make_body_directory(const PlannedLog& log, World& world) {
  if (log.bodies != BodyLog::full && !log.responses) return log.directory;
  const std::filesystem::path directory = log.directory.empty() ? world.state_directory("sanduk") / "relays" /
                                                                      (timestamp(world.now()) + "-" + random_hex(4))
                                                                : std::filesystem::path(log.directory);
  if (const std::optional<FileError> failed = make_private_directory(directory)) {
    throw RunError(
        Failure::host,
        error("record-unwritable", failed->message).with_help("name a directory that you may write: log.dir"));
  }
  return directory.string();
}

RelaySettings make_settings(const Plan& plan, World& world, const Terminal& terminal) {
  RelaySettings settings;
  settings.plan = plan.relay;
  settings.log = plan.log;
  settings.log.directory = make_body_directory(plan.log, world);
  settings.key = read_key(plan.relay, world);
  if (plan.relay.upstream) settings.proxy = proxy_for(*plan.relay.upstream, world);
  settings.tunnels = tunnel_targets(plan.relay.hosts, world);
  check_key(plan.relay, settings.key, world);
  settings.token = make_token("sanduk-");
  settings.on_call = [json = plan.log.json_lines](const CallRecord& call) {
    print_message((json ? call_json(call) : call_line(call)) + "\n");
  };
  settings.on_stop = [color = terminal.color](const std::string& code, const std::string& why) {
    print_message(render_text(error(code, why), {color}));
  };
  return settings;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

int print_limits(bool as_json) {
  JsonWriter json(2);
  json.begin_array();
  std::string text;
  for (const LimitRow& row : limit_table(Limits{})) {
    json.begin_object().field("name", row.name).field("value", row.value).field("at_the_end", row.at_the_end);
    json.end_object();
    text += padded(row.name, 21) + padded(row.value, 10) + row.at_the_end + "\n";
  }
  json.end_array();
  print_result(as_json ? json.text() + "\n" : text);
  return exit_done;
}

void serve(Relay& relay, const std::string& token, const StopSignals& signals) {
  JsonWriter ready;
  ready.begin_object()
      .field("url", relay.url())
      .field("token", token)
      .field("pid", static_cast<std::int64_t>(getpid()))
      .end_object();
  print_result(ready.text() + "\n");
  pollfd wait{signals.fd(), POLLIN, 0};
  while (poll(&wait, 1, -1) < 0) {
  }
  relay.stop(0);
  print_message("sanduk: " + tally_line(relay.tally()) + "\n");
}

}  // namespace

int run_relay(const Invocation& call, World& world) {
  if (call.has("--limits")) return print_limits(call.has("--json"));
  Diagnostics problems;
  if (call.words.empty()) {
    problems.add(error("usage", "`sanduk relay` needs FILE...").with_help("see `sanduk relay --help`"));
    return report_problems(problems, call.terminal);
  }
  const std::optional<Plan> plan = make_plan(call, call.words, world, problems, Purpose::relay);
  const std::optional<ListenAddress> listen =
      call.has("--listen") ? parse_listen(call.option("--listen")) : ListenAddress{};
  if (!listen) {
    problems.add(error("bad-value", "`--listen` takes HOST:PORT")
                     .at(call.line.option_spans.at("--listen"))
                     .with_help("write --listen 127.0.0.1:8750"));
  }
  if (call.has("--listen") && call.has("--socket")) {
    problems.add(error("usage", "`--listen` and `--socket` exclude one another")
                     .at(call.line.option_spans.at("--listen"))
                     .at(call.line.option_spans.at("--socket"))
                     .with_help("choose one"));
  }
  const int code = report_problems(problems, call.terminal);
  if (code != exit_done || !plan) return code;
  try {
    // Before any thread is there, so that all of them leave these signals to us.
    const StopSignals signals;
    RelaySettings settings = make_settings(*plan, world, call.terminal);
    const std::string token(settings.token.reveal());
    Relay relay(std::move(settings));
    if (call.has("--socket")) {
      relay.listen_unix((world.current_directory() / call.option("--socket")).string());
    } else {
      relay.listen_tcp(listen->host, listen->port);
    }
    relay.prewarm();
    serve(relay, token, signals);
    return exit_done;
  } catch (const RunError& fault) {
    print_message(render_text(fault.diagnostic, {call.terminal.color}) + "\nsanduk: 1 error; nothing was started\n");
    return fault.failure == Failure::profile ? exit_bad_profile : exit_host_not_ready;
  }
}

}  // namespace sanduk
