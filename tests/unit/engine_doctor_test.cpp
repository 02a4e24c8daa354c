// The parts of the doctor that look at text.
#include <gtest/gtest.h>

#include "engine/doctor.h"

namespace sanduk {
namespace {

TEST(Doctor, ComparesVersionsAsNumbers) {
  EXPECT_TRUE(is_older("20.10.24+dfsg1", "23.0.11"));
  EXPECT_TRUE(is_older("4.3", "4.3.1"));
  EXPECT_FALSE(is_older("28.5.1", "23.0.11"));
  EXPECT_FALSE(is_older("23.0.11", "23.0.11"));
  EXPECT_FALSE(is_older("100.0", "23.0.11"));
}

TEST(Doctor, FindsWhoListensOnAllAddresses) {
  EXPECT_EQ(open_listeners("  sl  local_address rem_address   st\n"
                           "   0: 00000000:1F90 00000000:0000 0A 00000000:00000000\n"
                           "   1: 0100007F:0050 00000000:0000 0A 00000000:00000000\n"
                           "   2: 00000000:0016 0100007F:0001 01 00000000:00000000\n"),
            std::vector<int>{8080});
  EXPECT_EQ(
      open_listeners("   0: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 0:0\n"),
      std::vector<int>{22});
  EXPECT_TRUE(open_listeners("").empty());
}

TEST(Doctor, SaysWhereAKeyIsAndNeverTheKey) {
  EXPECT_EQ(key_finding_words("env:A_KEY"), "in the variable A_KEY");
  EXPECT_EQ(key_finding_words("file:/k"), "in the file /k");
  EXPECT_EQ(key_finding_words("command:pass show x"), "by the command that prints it");
}

}  // namespace
}  // namespace sanduk
