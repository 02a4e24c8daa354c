#include <gtest/gtest.h>

#include "base/text.h"

namespace sanduk {
namespace {

TEST(Text, SplitsAndJoins) {
  EXPECT_EQ(split("", ','), std::vector<std::string>{""});
  EXPECT_EQ(split(",a,", ','), (std::vector<std::string>{"", "a", ""}));
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(trim(" \t\r\n x y \n"), "x y");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(Text, ReplacesOnceOverTheText) {
  EXPECT_EQ(replace_all("aaa", "a", "aa"), "aaaaaa");
  EXPECT_EQ(replace_all("a.b", ".", ""), "ab");
}

TEST(Text, ReadsDecimalsOnly) {
  EXPECT_EQ(parse_decimal("0"), 0);
  EXPECT_EQ(parse_decimal("007"), 7);
  EXPECT_EQ(parse_decimal("9223372036854775807"), INT64_MAX);
  for (const char* bad : {"", " 1", "1 ", "+1", "-1", "1_0", "0x1", "1e3", "1.0", "9223372036854775808", "١"}) {
    EXPECT_FALSE(parse_decimal(bad)) << bad;
  }
}

TEST(Text, CountsASwapOnce) {
  EXPECT_EQ(edit_distance("modle", "model"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Text, FindsWhatWasMeant) {
  const std::vector<std::string> keys = {"model", "name", "effort"};
  EXPECT_EQ(closest("modle", keys), "model");
  EXPECT_EQ(closest("MODEL", keys), "model");
  EXPECT_EQ(closest("vlan", keys), std::nullopt);
  EXPECT_EQ(closest(std::string(100000, 'x'), keys), std::nullopt);
  EXPECT_EQ(closest("x", {}), std::nullopt);
}

TEST(Text, KnowsUtf8) {
  for (const char* good : {"", "a", "ü", "世", "😀"}) EXPECT_TRUE(is_valid_utf8(good)) << good;
  for (const char* bad :
       {"\x80", "\xc0\xaf", "\xc3", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "a\xe4z"}) {
    EXPECT_FALSE(is_valid_utf8(bad));
  }
}

// No byte that a terminal obeys may come out, whatever goes in.
TEST(Text, PrintsNothingThatATerminalObeys) {
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  for (int c = 0x80; c < 0xa0; ++c) every += std::string("\xc2") + static_cast<char>(c);
  every += "\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xef\xbb\xbf\x1b]52;c;eA==\x07";
  const std::string shown = printable(every);
  EXPECT_TRUE(is_valid_utf8(shown));
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const auto byte = static_cast<unsigned char>(shown[at]);
    EXPECT_TRUE(byte >= 0x20 && byte != 0x7f);
    if (byte != 0xc2) continue;
    EXPECT_GE(static_cast<unsigned char>(shown[at + 1]), 0xa0);
  }
  EXPECT_EQ(shown.find("\xe2\x80\xae"), std::string::npos);
  EXPECT_EQ(printable("a\tb\nc"), "a?b?c");
  EXPECT_EQ(printable("a\tb\nc\r", true), "a\tb\nc?");
  EXPECT_EQ(printable("Grüße, 世界"), "Grüße, 世界");
}

TEST(Text, SpeaksForPeople) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(4ULL << 30), "4 GiB");
  EXPECT_EQ(human_seconds(0.25), "0.2s");
  EXPECT_EQ(human_seconds(125), "2m 05s");
}

TEST(Text, QuotesForAShell) {
  EXPECT_EQ(shell_quoted("plain-word_1.x:/=,@%+{}"), "plain-word_1.x:/=,@%+{}");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's $HOME `x`"), "'it'\\''s $HOME `x`'");
  EXPECT_EQ(shell_quoted("ü"), "'ü'");
}

TEST(Text, WritesHexadecimal) { EXPECT_EQ(hex(std::string_view("\x00\xff\x10", 3)), "00ff10"); }

}  // namespace
}  // namespace sanduk
