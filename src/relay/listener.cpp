#include "relay/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/portable.h"
#include "diagnostics/diagnostic.h"
#include "relay/resolve_host.h"

namespace sanduk {
namespace {

constexpr int backlog = 1024;

[[noreturn]] void fail(std::string message, std::string help) {
  throw RunError(Failure::host, error("cannot-listen", std::move(message)).with_help(std::move(help)));
}

std::string words(int code) { return std::strerror(code); }

int port_of(int fd) {
  SocketAddress address;
  address.size = sizeof address.bytes;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address.bytes), &address.size);
  sockaddr_in in{};
  std::memcpy(&in, &address.bytes, sizeof in);  // the port stands in the same place for both families
  return ntohs(in.sin_port);
}

}  // namespace

Listener listen_on_unix(const std::string& path) {
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    fail("the socket path " + path + " has " + std::to_string(path.size()) + " bytes; a socket path has at most " +
             std::to_string(sizeof address.sun_path - 1),
         "use a shorter directory");
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Listener result;
  result.socket = FileDescriptor(make_socket(AF_UNIX));
  if (!result.socket) fail("cannot make a socket: " + words(errno), "");
  if (bind(result.socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fail("cannot listen on " + path + ": " + words(errno),
         errno == EADDRINUSE ? "remove the file, or use another path" : "");
  }
  result.path = path;
  result.url = "unix:" + path;
  // The box's user is another one than ours; who may come in is decided by the directory, and by the token.
  if (chmod(path.c_str(), 0666) != 0 || listen(result.socket.get(), backlog) != 0) {
    const int code = errno;
    unlink(path.c_str());
    fail("cannot listen on " + path + ": " + words(code), "");
  }
  return result;
}

Listener listen_on_tcp(const std::string& host, int port) {
  // "localhost" may be either family: say one, so that the URL holds.
  const std::string address = host == "localhost" ? "127.0.0.1" : host;
  const bool is_v6 = address.find(':') != std::string::npos;
  const std::string shown = (is_v6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
  SocketAddress where;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v6.sin6_family = AF_INET6;
  v4.sin_port = v6.sin6_port = htons(static_cast<std::uint16_t>(port));
  const bool good = port >= 0 && port <= 65535 &&
                    (is_v6 ? inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr)
                           : inet_pton(AF_INET, address.c_str(), &v4.sin_addr)) == 1;
  if (!good) fail("cannot listen on " + shown + ": not an address and port", "write an IP address, such as 127.0.0.1");
  where.size = is_v6 ? sizeof v6 : sizeof v4;
  std::memcpy(&where.bytes, is_v6 ? static_cast<const void*>(&v6) : &v4, where.size);

  Listener result;
  result.socket = FileDescriptor(make_socket(where.family()));
  if (!result.socket) fail("cannot make a socket: " + words(errno), "");
  const int on = 1;
  setsockopt(result.socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (is_v6) setsockopt(result.socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (bind(result.socket.get(), reinterpret_cast<const sockaddr*>(&where.bytes), where.size) != 0 ||
      listen(result.socket.get(), backlog) != 0) {
    fail("cannot listen on " + shown + ": " + words(errno),
         errno == EADDRINUSE ? "use another port, or 0 for any" : "");
  }
  result.url = "http://" + (is_v6 ? "[" + address + "]" : address) + ":" + std::to_string(port_of(result.socket.get()));
  return result;
}

}  // namespace sanduk
