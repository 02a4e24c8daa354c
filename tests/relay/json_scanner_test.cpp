// What counts as JSON, and which members are found.
#include "relay/json_scanner.h"

#include <gtest/gtest.h>

#include <array>

#include "base/json.h"
#include "relay/json_text.h"

namespace sanduk::test {
namespace {

struct JsonCase {
  const char* name;
  std::string text;
  bool valid;
};

std::string nested(std::size_t depth) { return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}"; }

const std::vector<JsonCase>& cases() {
  static const std::vector<JsonCase> list = {
      {"Empty", "", false},
      {"Blank", "  ", false},
      {"EmptyObject", "{}", true},
      {"BlanksAround", " \r\n\t{ \"a\" : 1 , \"b\" : [ ] } \n", true},
      {"Array", "[]", false},
      {"String", "\"a\"", false},
      {"Number", "1", false},
      {"ByteOrderMark", "\xEF\xBB\xBF{}", false},
      {"TwoObjects", "{}{}", false},
      {"TrailingByte", "{}x", false},
      {"TrailingNul", std::string("{}\0", 3), false},
      {"Unclosed", "{\"a\":1", false},
      {"UnclosedString", "{\"a", false},
      {"UnclosedArray", "{\"a\":[1", false},
      {"TrailingComma", "{\"a\":1,}", false},
      {"TrailingCommaInArray", "{\"a\":[1,]}", false},
      {"LeadingComma", "{,\"a\":1}", false},
      {"MissingComma", "{\"a\":1 \"b\":2}", false},
      {"MissingColon", "{\"a\" 1}", false},
      {"MissingValue", "{\"a\":}", false},
      {"KeyWithoutQuotes", "{a:1}", false},
      {"SingleQuotes", "{'a':1}", false},
      {"NumberAsKey", "{1:1}", false},
      {"Comment", "{/**/\"a\":1}", false},
      {"WrongCloser", "{\"a\":[1}}", false},
      {"WrongCloser2", "{\"a\":{\"b\":1]}", false},
      {"FormFeed", "{\f}", false},
      {"Literals", "{\"a\":true,\"b\":false,\"c\":null}", true},
      {"Capital", "{\"a\":True}", false},
      {"LiteralCut", "{\"a\":tru}", false},
      {"NaN", "{\"a\":NaN}", false},
      {"Numbers", "{\"a\":[0,-0,1.5,-1.5e10,1E+5,2e-3,123456789012345678901234567890]}", true},
      {"LeadingZero", "{\"a\":01}", false},
      {"MinusLeadingZero", "{\"a\":-01}", false},
      {"PlusNumber", "{\"a\":+1}", false},
      {"DotFirst", "{\"a\":.5}", false},
      {"DotLast", "{\"a\":5.}", false},
      {"ExponentOnly", "{\"a\":1e}", false},
      {"ExponentSign", "{\"a\":1e+}", false},
      {"Hex", "{\"a\":0x10}", false},
      {"MinusOnly", "{\"a\":-}", false},
      {"Escapes", R"({"a":"\"\\\/\b\f\n\r\t\u00e4\uD83D\uDE00"})", true},
      {"LoneSurrogateInAValue", R"({"a":"\ud83d"})", true},
      {"BadEscape", R"({"a":"\x"})", false},
      {"NulEscape", std::string("{\"a\":\"\\\0\"}", 10), false},
      {"ShortUnicodeEscape", R"({"a":"\u12"})", false},
      {"BadUnicodeEscape", R"({"a":"\u12g4"})", false},
      {"BackslashAtEnd", "{\"a\":\"\\", false},
      {"RawNewline", "{\"a\":\"\n\"}", false},
      {"RawTab", "{\"a\":\"\t\"}", false},
      {"RawNul", std::string("{\"a\":\"\0\"}", 9), false},
      {"RawDel", "{\"a\":\"\x7f\"}", true},
      {"Utf8", "{\"\xC3\xA4\":\"\xE2\x82\xAC \xF0\x9F\x98\x80\"}", true},
      {"Utf8Cut", "{\"a\":\"\xE2\x82\"}", false},
      {"Utf8Continuation", "{\"a\":\"\x80\"}", false},
      {"Utf8Overlong", "{\"a\":\"\xC0\xAF\"}", false},
      {"Utf8Overlong3", "{\"a\":\"\xE0\x80\xAF\"}", false},
      {"Utf8Overlong4", "{\"a\":\"\xF0\x80\x80\xAF\"}", false},
      {"Utf8Surrogate", "{\"a\":\"\xED\xA0\x80\"}", false},
      {"Utf8TooHigh", "{\"a\":\"\xF4\x90\x80\x80\"}", false},
      {"Utf8Ff", "{\"a\":\"\xFF\"}", false},
      {"Latin1", "{\"a\":\"\xE4\"}", false},
      {"NulInAKey", R"({"model\u0000x":1})", false},
      {"DepthAtTheBound", nested(63), true},
      {"DepthBeyond", nested(64), false},
      {"DepthFarBeyond", nested(1000000), false},
      {"DepthOfObjects",
       [] {
         std::string text;
         for (int i = 0; i < 100000; ++i) text += "{\"a\":";
         return text;
       }(),
       false},
  };
  return list;
}

class Json : public ::testing::TestWithParam<JsonCase> {};

TEST_P(Json, IsTakenOrNot) {
  JsonObject object;
  const std::optional<JsonFault> fault = scan_object(GetParam().text, {}, 64, object);
  EXPECT_EQ(!fault, GetParam().valid) << (fault ? fault->why : "taken");
}

INSTANTIATE_TEST_SUITE_P(Scanner, Json, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

// A special byte at each place of a long string, so that every path of the fast loop meets it.
TEST(JsonText, FindsASpecialByteAtEveryPlace) {
  for (const char special : {'"', '\\', '\x01', '\x1f', '\x80', '\xff'}) {
    for (std::size_t size = 0; size < 200; ++size) {
      const std::string text = std::string(size, 'x') + special + std::string(90, 'y');
      EXPECT_EQ(skip_plain_text(text.data(), text.data() + text.size()) - text.data(), static_cast<long>(size));
    }
  }
  const std::string plain(300, '~');
  EXPECT_EQ(skip_plain_text(plain.data(), plain.data() + plain.size()) - plain.data(), 300);
}

// Every escape and fault at every place of a long string, so that both loops meet it, alone and next to another.
TEST(JsonText, JudgesAStringAtEveryPlace) {
  struct Piece {
    const char* text;
    bool good;
  };
  for (const Piece piece :
       {Piece{"\\n", true}, Piece{"\\\\", true}, Piece{"\\\"", true}, Piece{"\\u00e4", true}, Piece{"\xC3\xA4", true},
        Piece{"\xE2\x82\xAC", true}, Piece{"\xF0\x9F\x98\x80", true}, Piece{"\\x", false}, Piece{"\\u00g4", false},
        Piece{"\x01", false}, Piece{"\xC3", false}, Piece{"\xE2\x82", false}, Piece{"\x80", false}}) {
    for (std::size_t before = 0; before < 150; ++before) {
      for (const std::size_t after : {0UL, 1UL, 5UL, 64UL, 100UL}) {
        for (const char* filler : {"x", "\\\\"}) {
          std::string text;
          while (text.size() < before) text += filler;
          text += piece.text + std::string(piece.text) + std::string(after, 'y') + "\"tail" + std::string(70, '"');
          const char* why = nullptr;
          const char* const end = skip_json_string(text.data(), text.data() + text.size(), &why);
          ASSERT_EQ(why == nullptr, piece.good)
              << piece.text << " behind " << before << ": " << (why == nullptr ? "" : why);
          if (!piece.good) continue;
          ASSERT_EQ(std::string_view(end).substr(0, 4), "tail") << piece.text << " behind " << before;
        }
      }
    }
  }
}

TEST(JsonText, AStringWithoutItsEndIsOneAtEveryLength) {
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string text(size, 'x');
    const char* why = nullptr;
    EXPECT_EQ(skip_json_string(text.data(), text.data() + size, &why), text.data() + size);
    EXPECT_NE(why, nullptr);
  }
}

constexpr std::array<std::string_view, 2> wanted = {"model", "max_tokens"};

TEST(JsonScanner, FindsWantedMembersOfTheOuterObjectOnly) {
  JsonObject object;
  const std::string text = R"({"x":{"model":"inner"},"model" : "outer","y":["model",{"model":1}],"max_tokens":12})";
  ASSERT_FALSE(scan_object(text, wanted, 64, object));
  ASSERT_EQ(object.members.size(), 2U);
  EXPECT_EQ(object.members[0].value.in(text), "\"outer\"");
  EXPECT_EQ(object.members[1].value.in(text), "12");
  EXPECT_EQ(object.members[1].value.kind, JsonKind::number);
}

TEST(JsonScanner, UnescapesKeysBeforeItCompares) {
  JsonObject object;
  ASSERT_FALSE(scan_object(R"({"\u006dodel":"a","mod\u0065l":"b"})", wanted, 64, object));
  ASSERT_EQ(object.members.size(), 2U);
  EXPECT_TRUE(object.members[0].exact);
  EXPECT_EQ(object.members[0].name, "model");
}

TEST(JsonScanner, ReportsKeysThatDifferInCaseOnly) {
  for (const char* key : {"Model", "MODEL", "\\u004dodel",
                          "max_to\xE2\x84\xAA"
                          "ens",
                          "max_token\xC5\xBF"}) {
    JsonObject object;
    ASSERT_FALSE(scan_object("{\"" + std::string(key) + "\":1}", wanted, 64, object));
    ASSERT_EQ(object.members.size(), 1U) << key;
    EXPECT_FALSE(object.members[0].exact) << key;
  }
}

TEST(JsonScanner, BoundsRepeatedKeysAndElements) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += "\"model\":\"a\",";
  JsonObject object;
  EXPECT_TRUE(scan_object(text + "\"model\":\"a\"}", wanted, 64, object));
  std::vector<JsonValue> elements;
  EXPECT_TRUE(scan_array("[1,2,3]", 64, 2, elements));
}

TEST(JsonScanner, UnescapesStrings) {
  EXPECT_EQ(unescape_json(R"("a\u00e4\ud83d\ude00\n\/")"), "a\xC3\xA4\xF0\x9F\x98\x80\n/");
  EXPECT_EQ(unescape_json(R"("\ud83d")"), std::nullopt);
  EXPECT_EQ(unescape_json(R"("\ude00")"), std::nullopt);
  EXPECT_EQ(unescape_json(R"("\ud83dx")"), std::nullopt);
  EXPECT_EQ(unescape_json(R"("\ud83d\u0041")"), std::nullopt);
  EXPECT_EQ(unescape_json("\"\""), "");
}

}  // namespace
}  // namespace sanduk::test
