#include "base/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace sanduk {
namespace {

using V6 = std::array<std::uint8_t, 16>;

struct RangeV4 {
  std::uint32_t base;
  int bits;
  const char* name;
};

constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

constexpr std::array<RangeV4, 13> ranges_v4 = {{
    {v4(0, 0, 0, 0), 8, "unspecified"},
    {v4(10, 0, 0, 0), 8, "private"},
    {v4(100, 64, 0, 0), 10, "private (carrier-grade NAT)"},
    {v4(127, 0, 0, 0), 8, "loopback"},
    {v4(168, 63, 129, 16), 32, "a cloud's metadata service"},
    {v4(169, 254, 0, 0), 16, "link-local"},
    {v4(172, 16, 0, 0), 12, "private"},
    {v4(192, 0, 0, 0), 24, "reserved"},
    {v4(192, 88, 99, 0), 24, "reserved"},
    {v4(192, 168, 0, 0), 16, "private"},
    {v4(198, 18, 0, 0), 15, "private (benchmarks)"},
    {v4(224, 0, 0, 0), 4, "multicast"},
    {v4(240, 0, 0, 0), 4, "reserved"},
}};

std::optional<std::string> range_of(std::uint32_t address) {
  for (const RangeV4& range : ranges_v4) {
    if (range.bits > 0 && ((address ^ range.base) >> (32 - range.bits)) == 0) return range.name;
  }
  return std::nullopt;
}

struct RangeV6 {
  V6 base;
  int bits;
  const char* name;  // null: the IPv4 address at `v4_at` decides
  std::size_t v4_at;
};

constexpr std::array<RangeV6, 12> ranges_v6 = {{
    {{}, 128, "unspecified", 0},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, "loopback", 0},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, nullptr, 12},
    {{}, 96, "reserved", 0},
    {{0, 0x64, 0xff, 0x9b}, 96, nullptr, 12},
    {{0, 0x64, 0xff, 0x9b, 0, 1}, 48, "private (NAT64)", 0},
    {{0x20, 0x01, 0, 0}, 32, "reserved (Teredo)", 0},
    {{0x20, 0x02}, 16, nullptr, 2},
    {{0xfc}, 7, "private", 0},
    {{0xfe, 0x80}, 10, "link-local", 0},
    {{0xfe, 0xc0}, 10, "private", 0},
    {{0xff}, 8, "multicast", 0},
}};

bool holds(const RangeV6& range, const V6& address) {
  for (int bit = 0; bit < range.bits; ++bit) {
    const auto at = static_cast<std::size_t>(bit / 8);
    const int mask = 0x80 >> (bit % 8);
    if ((address[at] & mask) != (range.base[at] & mask)) return false;
  }
  return true;
}

std::uint32_t v4_inside(const V6& address, std::size_t at) {
  return v4(address[at], address[at + 1], address[at + 2], address[at + 3]);
}

}  // namespace

std::optional<std::string> special_range(const std::string& address) {
  in_addr four{};
  if (inet_pton(AF_INET, address.c_str(), &four) == 1) return range_of(ntohl(four.s_addr));
  V6 six{};
  if (inet_pton(AF_INET6, address.c_str(), six.data()) != 1) return std::nullopt;
  for (const RangeV6& range : ranges_v6) {
    if (holds(range, six)) return range.name != nullptr ? range.name : range_of(v4_inside(six, range.v4_at));
  }
  return std::nullopt;
}

}  // namespace sanduk
