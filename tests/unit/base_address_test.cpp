// Which addresses a tunnel may lead to: each row of the registries, its edges, and what hides inside IPv6.
#include <gtest/gtest.h>

#include "base/address.h"

namespace sanduk::test {
namespace {

TEST(Address, OfAPublicHostIsInNoRange) {
  for (const char* const address : {"1.1.1.1",         "8.8.8.8",          "9.255.255.255",
                                    "11.0.0.0",        "100.63.255.255",   "100.128.0.0",
                                    "126.255.255.255", "128.0.0.1",        "169.253.255.255",
                                    "169.255.0.0",     "172.15.255.255",   "172.32.0.0",
                                    "192.167.255.255", "192.169.0.0",      "198.17.255.255",
                                    "198.20.0.0",      "223.255.255.255",  "168.63.129.15",
                                    "168.63.129.17",   "2606:4700::1111",  "2001:4860::8888",
                                    "::ffff:1.1.1.1",  "64:ff9b::1.1.1.1", "2002:0101:0101::1",
                                    "fbff::1",         "not an address",   ""}) {
    EXPECT_EQ(special_range(address), std::nullopt) << address;
  }
}

TEST(Address, OfAMachinesOwnNetworksIsSpecial) {
  for (const char* const address :
       {"0.0.0.0",         "0.1.2.3",        "10.0.0.0",        "10.255.255.255",  "100.64.0.0",  "100.127.255.255",
        "100.100.100.200", "127.0.0.1",      "127.255.255.255", "168.63.129.16",   "169.254.0.0", "169.254.169.254",
        "172.16.0.0",      "172.31.255.255", "192.0.0.192",     "192.88.99.1",     "192.168.0.0", "192.168.255.255",
        "198.18.0.1",      "198.19.255.255", "224.0.0.1",       "239.255.255.255", "240.0.0.0",   "255.255.255.255"}) {
    EXPECT_TRUE(special_range(address)) << address;
    EXPECT_TRUE(special_range("::ffff:" + std::string(address))) << address;
    EXPECT_TRUE(special_range("64:ff9b::" + std::string(address))) << address;
    EXPECT_TRUE(special_range("::" + std::string(address))) << address;
  }
  for (const char* const address : {"::", "::1", "64:ff9b:1::1", "2001::1", "2002:7f00:1::1", "2002:a9fe:a9fe::1",
                                    "fc00::1", "fd00:ec2::254", "fe80::1", "febf::1", "fec0::1", "ff02::1"}) {
    EXPECT_TRUE(special_range(address)) << address;
  }
  EXPECT_EQ(special_range("127.0.0.1"), "loopback");
  EXPECT_EQ(special_range("::ffff:10.1.2.3"), "private");
}

}  // namespace
}  // namespace sanduk::test
