// Internet addresses that are nobody's on the internet.
#pragma once

#include <optional>
#include <string>

namespace sanduk {

// What the IPv4 or IPv6 literal (without brackets) is when it is no public address: "loopback", "private",
// "link-local" … An IPv4 address inside an IPv6 one (mapped, NAT64, 6to4) is judged itself. Nothing for a public
// address, and for what is no address. Sources: the IANA special-purpose address registries (RFC 6890), and the
// addresses at which clouds answer their own machines.
std::optional<std::string> special_range(const std::string& address);

}  // namespace sanduk
