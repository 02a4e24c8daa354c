// Where clients come in: a unix socket or a TCP port.
#pragma once

#include <string>

#include "base/files.h"

namespace sanduk {

struct Listener {
  FileDescriptor socket;
  std::string url;   // "http://127.0.0.1:PORT" or "unix:PATH"
  std::string path;  // of the unix socket, to be removed at the end
};

// Both throw RunError (Failure::host) when the address cannot be had, with what to do about it.
Listener listen_on_unix(const std::string& path);
Listener listen_on_tcp(const std::string& host, int port);

}  // namespace sanduk
