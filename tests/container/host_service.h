// A service of the host that a box must not reach.
#pragma once

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <sys/socket.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/files.h"

namespace sanduk::test {

// A service of the host that listens on all addresses, as a careless one does.
class HostService {
 public:
  HostService() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    socklen_t size = sizeof any;
    if (bind(fd_.get(), reinterpret_cast<sockaddr*>(&any), size) != 0 || listen(fd_.get(), 8) != 0) std::abort();
    getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&any), &size);
    port = ntohs(any.sin_port);
  }
  int port = 0;

  static std::vector<std::string> addresses() {
    std::vector<std::string> result;
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) return result;
    for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
      if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
      char text[INET_ADDRSTRLEN] = {};
      inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr, text, sizeof text);
      if (!std::string(text).starts_with("127.")) result.emplace_back(text);
    }
    freeifaddrs(all);
    return result;
  }

 private:
  FileDescriptor fd_;
};

}  // namespace sanduk::test
