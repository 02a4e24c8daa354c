// A connection to the provider inside TLS.
#pragma once

#include "relay/tls.h"
#include "relay/upstream_connection.h"

namespace sanduk {

class TlsConnection : public UpstreamConnection {
 public:
  // `context` outlives the connection.
  TlsConnection(FileDescriptor socket, TlsContext& context);
  ~TlsConnection() override;

  // Before anything else. Nothing: the server is who it should be.
  std::optional<ConnectFailure> handshake(const Limits& limits, const Watch& watch);

  Io read_some(char* data, std::size_t size, std::size_t* got) override;
  Ready write_all(const std::vector<std::string_view>& pieces, std::chrono::milliseconds idle,
                  const Watch& watch) override;
  bool has_buffered() const override;
  bool is_quiet() override;

 private:
  Ready write_piece(std::string_view piece, std::chrono::milliseconds idle, const Watch& watch);
  // What OpenSSL's answer `code` to the last step means: wants to read, wants to write, ended, or broken.
  int meaning(int code);

  TlsContext& context_;
  FileDescriptor socket_;
  TlsHandle tls_;
  bool broken_ = false;
};

}  // namespace sanduk
