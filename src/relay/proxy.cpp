#include "relay/proxy.h"

#include <sys/socket.h>

#include <cerrno>

#include "base/text.h"
#include "diagnostics/diagnostic.h"
#include "relay/base64.h"
#include "relay/forward.h"
#include "relay/resolve_host.h"

namespace sanduk {
namespace {

constexpr std::size_t most_head = 16384;

std::optional<std::string> either(const World& world, const char* small, const char* large) {
  std::optional<std::string> value = world.variable(small);
  return value ? value : world.variable(large);
}

bool is_this_machine(const std::string& host) {
  return host == "localhost" || host.ends_with(".localhost") || host == "::1" ||
         (is_address(host) && host.starts_with("127."));
}

// One entry of NO_PROXY.
bool excepts(std::string entry, const Upstream& target) {
  entry = lower(trim(entry));
  const std::string port = ":" + std::to_string(target.port);
  if (entry.ends_with(port) && !is_address(entry)) entry.resize(entry.size() - port.size());
  if (entry.starts_with("*.")) entry.erase(0, 1);
  if (entry == "*" || entry == target.host) return true;
  if (entry.starts_with(".")) entry.erase(0, 1);
  return !entry.empty() && !is_address(target.host) && (target.host == entry || target.host.ends_with("." + entry));
}

[[noreturn]] void refuse(const std::string& why) {
  throw RunError(
      Failure::host,
      error("bad-proxy", "HTTPS_PROXY cannot be used: " + why).with_help("write http://HOST:PORT, or unset it"));
}

Proxy parse_proxy(std::string text) {
  const std::size_t scheme = text.find("://");
  if (scheme != std::string::npos && lower(text.substr(0, scheme)) != "http") {
    refuse("only a proxy that is spoken to over http:// is supported");
  }
  if (scheme != std::string::npos) text.erase(0, scheme + 3);
  while (text.ends_with("/")) text.pop_back();
  Proxy proxy;
  const std::size_t at = text.rfind('@');
  if (at != std::string::npos) {
    proxy.authorization = Secret("Basic " + encode_base64(percent_decoded(text.substr(0, at))));
    text.erase(0, at + 1);
  }
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string::npos && text.find(']', colon) == std::string::npos;
  const std::optional<std::int64_t> port =
      has_port ? parse_decimal(text.substr(colon + 1)) : std::optional<std::int64_t>(80);
  proxy.host = lower(has_port ? text.substr(0, colon) : text);
  if (proxy.host.starts_with("[") && proxy.host.ends_with("]"))
    proxy.host = proxy.host.substr(1, proxy.host.size() - 2);
  const bool plain = proxy.host.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.:-_") == std::string::npos;
  if (proxy.host.empty() || !plain) refuse("it names no host");
  if (!port || *port < 1 || *port > 65535) refuse("its port is not a number from 1 to 65535");
  proxy.port = *port;
  return proxy;
}

// Byte by byte: what stands behind the head is the provider's.
std::variant<std::string, ConnectFailure> read_head(int fd, Clock::time_point deadline, const Watch& watch) {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    if (head.size() >= most_head) return ConnectFailure{Ready::timeout, "the proxy's answer has no end"};
    char byte = 0;
    const ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT);
    if (got == 1) {
      head += byte;
      continue;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return ConnectFailure{Ready::timeout, "the proxy closed the connection"};
    }
    const Ready ready = wait_readable(fd, deadline, *watch.stop, watch.client);
    if (ready != Ready::yes) return ConnectFailure{ready, "the proxy gave no answer in time"};
  }
  return head;
}

}  // namespace

std::optional<Proxy> proxy_for(const Upstream& target, const World& world) {
  if (target.scheme != "https" || is_this_machine(target.host)) return std::nullopt;
  const std::optional<std::string> text = either(world, "https_proxy", "HTTPS_PROXY");
  if (!text || trim(*text).empty()) return std::nullopt;
  for (const std::string& entry : split(either(world, "no_proxy", "NO_PROXY").value_or(""), ',')) {
    if (excepts(entry, target)) return std::nullopt;
  }
  return parse_proxy(std::string(trim(*text)));
}

std::optional<ConnectFailure> open_tunnel(int fd, const Proxy& proxy, const Upstream& target,
                                          Clock::time_point deadline, const Watch& watch) {
  const bool is_ipv6 = target.host.find(':') != std::string::npos;
  const std::string where = (is_ipv6 ? "[" + target.host + "]" : target.host) + ":" + std::to_string(target.port);
  std::string text;
  text.reserve(512 + proxy.authorization.reveal().size());
  text.append("CONNECT ").append(where).append(" HTTP/1.1\r\nhost: ").append(where).append("\r\n");
  if (!proxy.authorization.empty()) {
    text.append("proxy-authorization: ").append(proxy.authorization.reveal()).append("\r\n");
  }
  const Secret request(text.append("\r\n"));
  const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  if (!write_pieces(fd, {request.reveal()}, patience, *watch.stop)) {
    if (watch.stop->is_set()) return ConnectFailure{Ready::stopped, ""};
    return ConnectFailure{Ready::timeout, "the proxy did not take the request"};
  }
  const auto answer = read_head(fd, deadline, watch);
  if (const auto* const failure = std::get_if<ConnectFailure>(&answer)) return *failure;
  const std::string& head = std::get<std::string>(answer);
  const bool is_http = head.starts_with("HTTP/1.1 ") || head.starts_with("HTTP/1.0 ");
  if (is_http && head.compare(9, 1, "2") == 0) return std::nullopt;
  const std::string line = printable(head.substr(0, std::min<std::size_t>(head.find('\r'), 100)));
  return ConnectFailure{Ready::timeout, "the proxy " + proxy.host + ":" + std::to_string(proxy.port) +
                                            " does not let the call through: " + line};
}

}  // namespace sanduk
