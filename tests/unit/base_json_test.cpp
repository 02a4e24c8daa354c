#include <gtest/gtest.h>

#include <cmath>

#include "base/json.h"
#include "base/text.h"

namespace sanduk {
namespace {

TEST(Json, WritesInTheOrderOfTheCalls) {
  JsonWriter json;
  json.begin_object()
      .field("b", 1)
      .field("a", "x")
      .key("list")
      .begin_array()
      .boolean(true)
      .null()
      .number(1.5)
      .end_array()
      .end_object();
  EXPECT_EQ(json.text(), R"({"b":1,"a":"x","list":[true,null,1.5]})");
}

TEST(Json, Indents) {
  JsonWriter json(2);
  json.begin_object().key("empty").begin_array().end_array().field("list", std::vector<std::string>{"x"}).end_object();
  EXPECT_EQ(json.text(), "{\n  \"empty\": [],\n  \"list\": [\n    \"x\"\n  ]\n}");
}

TEST(Json, WritesEveryByteSafely) {
  for (int c = 0; c < 256; ++c) {
    const std::string text = json_string(std::string(1, static_cast<char>(c)));
    EXPECT_TRUE(is_valid_utf8(text)) << c;
    EXPECT_TRUE(parse_json_object("{\"x\":" + text + "}")) << text;
  }
  EXPECT_EQ(json_string("\xff"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(json_string("\x1b"), "\"\\u001b\"");
  EXPECT_EQ(json_string("世界"), "\"世界\"");
}

TEST(Json, WritesNoNumberThatJsonHasNot) {
  EXPECT_EQ(JsonWriter().number(std::nan("")).text(), "null");
  EXPECT_EQ(JsonWriter().number(INFINITY).text(), "null");
  EXPECT_EQ(JsonWriter().integer(INT64_MIN).text(), "-9223372036854775808");
}

TEST(Json, ReadsMembersWithoutConversion) {
  const Poco::JSON::Object::Ptr object =
      parse_json_object(R"({"s":"5","i":5,"d":5.5,"b":true,"n":null,"o":{},"a":[1]})");
  ASSERT_TRUE(object);
  EXPECT_EQ(json_text(object, "s"), "5");
  EXPECT_EQ(json_integer(object, "i"), 5);
  EXPECT_EQ(json_number(object, "i"), 5.0);
  EXPECT_EQ(json_number(object, "d"), 5.5);
  EXPECT_EQ(json_boolean(object, "b"), true);
  EXPECT_TRUE(json_object(object, "o"));
  EXPECT_TRUE(json_array(object, "a"));
  for (const char* name : {"s", "b", "n", "d", "none"}) EXPECT_FALSE(json_integer(object, name)) << name;
  for (const char* name : {"i", "b", "n", "o", "none"}) EXPECT_FALSE(json_text(object, name)) << name;
  for (const char* name : {"i", "s", "n"}) EXPECT_FALSE(json_boolean(object, name)) << name;
  EXPECT_FALSE(json_text({}, "x"));
}

TEST(Json, RefusesWhatIsNotOneObject) {
  std::string why;
  for (const char* bad : {"", "[]", "1", "{", "{}{}", "{\"a\":}", "{\"a\":1,}", "{'a':1}", "nul"}) {
    why.clear();
    EXPECT_FALSE(parse_json_object(bad, &why)) << bad;
    EXPECT_NE(why, "") << bad;
  }
}

TEST(Json, BoundsTheDepth) {
  const std::string deep = "{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}";
  EXPECT_FALSE(parse_json_object(deep));
}

}  // namespace
}  // namespace sanduk
