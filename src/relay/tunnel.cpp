#include "relay/tunnel.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/address.h"
#include "base/portable.h"
#include "base/text.h"
#include "relay/base64.h"
#include "relay/upstream_connection.h"

namespace sanduk {
namespace {

constexpr std::size_t piece_size = 65536;

std::string authority_of(const AllowedHost& host) {
  const bool is_ipv6 = host.name.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host.name + "]" : host.name) + ":" + std::to_string(host.port);
}

bool would_block(int code) { return code == EAGAIN || code == EINTR; }

}  // namespace

std::vector<TunnelTarget> tunnel_targets(const std::vector<AllowedHost>& hosts, const World& world) {
  std::vector<TunnelTarget> targets;
  for (const AllowedHost& host : hosts) {
    const Upstream where{"https", host.name, host.port};
    targets.push_back({authority_of(host), where, proxy_for(where, world)});
  }
  return targets;
}

std::optional<Refusal> check_proxy_token(const Headers& headers, const Secret& token) {
  constexpr std::string_view name = "proxy-authorization";
  if (count_headers(headers, name) > 1) return bad_request("two headers with a credential");
  const std::string_view value = find_header(headers, name).value_or("");
  if (value.empty()) return no_proxy_token("no token; the variable HTTPS_PROXY of the box holds it");
  const std::size_t space = value.find(' ');
  const std::string_view scheme = value.substr(0, space);
  std::string credential(space == std::string_view::npos ? "" : value.substr(space + 1));
  if (equal_ignoring_case(scheme, "Basic")) {
    const std::string user_and_password = decode_base64(credential).value_or("");
    const std::size_t colon = user_and_password.find(':');
    credential = colon == std::string::npos ? "" : user_and_password.substr(colon + 1);
  } else if (!equal_ignoring_case(scheme, "Bearer")) {
    credential.clear();
  }
  if (token.matches(credential)) return std::nullopt;
  return no_proxy_token("the token is not this run's");
}

std::optional<std::string> no_special_range(const std::string& address) {
  const std::optional<std::string> range = special_range(address);
  if (!range) return std::nullopt;
  return "the host's address " + address + " is " + *range + ", and a tunnel leads to the internet only";
}

std::optional<Refusal> Tunnel::connect(const TunnelTarget& target, const AddressRule& objection) {
  const Watch watch{&stop_, client_.fd()};
  const Clock::time_point deadline = Clock::now() + limits_.connect_total;
  const Proxy* const proxy = target.proxy ? &*target.proxy : nullptr;
  const std::string& host = proxy != nullptr ? proxy->host : target.where.host;
  const std::int64_t port = proxy != nullptr ? proxy->port : target.where.port;
  auto connected = connect_socket(host, port, proxy != nullptr ? AddressRule() : objection, limits_, deadline, watch);
  if (const auto* const failure = std::get_if<ConnectFailure>(&connected)) {
    return upstream_failed(failure->why.empty() ? "the relay was stopped" : failure->why);
  }
  host_ = std::move(std::get<FileDescriptor>(connected));
  if (proxy == nullptr) return std::nullopt;
  const std::optional<ConnectFailure> failure = open_tunnel(host_.get(), *proxy, target.where, deadline, watch);
  if (failure) return upstream_failed(failure->why);
  return std::nullopt;
}

bool Tunnel::pass() {
  up_.pending = client_.take_buffered();
  while (!up_.closed || !down_.closed) {
    if (!move(up_, client_.fd(), host_.get()) || !move(down_, host_.get(), client_.fd())) return false;
    if ((!up_.closed || !down_.closed) && !wait()) return false;
  }
  return true;
}

// Writes what is there, reads what comes, and tells the other side of the end. False: a side is gone.
bool Tunnel::move(Flow& flow, int from, int to) {
  while (!flow.closed) {
    while (!flow.pending.empty()) {
      const ssize_t sent = send(to, flow.pending.data(), flow.pending.size(), without_signal | MSG_DONTWAIT);
      if (sent < 0 && would_block(errno)) return true;
      if (sent < 0) {
        why_ = to == client_.fd() ? "the client left" : "the host closed the connection";
        return false;
      }
      flow.count += sent;
      flow.pending.erase(0, static_cast<std::size_t>(sent));
    }
    if (flow.ended) {
      shutdown(to, SHUT_WR);
      flow.closed = true;
      return true;
    }
    std::array<char, piece_size> piece;  // NOLINT: filled before it is read
    const ssize_t got = recv(from, piece.data(), piece.size(), MSG_DONTWAIT);
    if (got < 0 && would_block(errno)) return true;
    if (got < 0) {
      why_ = (from == client_.fd() ? "the client: " : "the host: ") + std::string(std::strerror(errno));
      return false;
    }
    flow.ended = got == 0;
    flow.pending.assign(piece.data(), static_cast<std::size_t>(got));
  }
  return true;
}

bool Tunnel::wait() {
  const auto events = [](const Flow& reading, const Flow& writing) {
    const bool reads = !reading.ended && reading.pending.empty();
    return static_cast<short>((reads ? POLLIN : 0) | (writing.pending.empty() ? 0 : POLLOUT));
  };
  std::array<pollfd, 3> waited = {
      {{client_.fd(), events(up_, down_), 0}, {host_.get(), events(down_, up_), 0}, {stop_.fd(), POLLIN, 0}}};
  // A side of which nothing is expected any more would be ready again and again.
  for (pollfd& one : waited) {
    if (one.events == 0) one.fd = -1;
  }
  const int count = poll(waited.data(), waited.size(), static_cast<int>(limits_.tunnel_idle.count()));
  if (count == 0) why_ = "nothing was said for " + std::to_string(limits_.tunnel_idle.count() / 1000) + " s";
  if (stop_.is_set()) why_ = "the relay was stopped";
  return count != 0 && !stop_.is_set();
}

}  // namespace sanduk
