// JSON as tools write it: positions, exact values, and no crash whatever it is fed.
#include <gtest/gtest.h>

#include <random>

#include "config/reader.h"

namespace sanduk {
namespace {

std::optional<Document> read(const std::string& text, Diagnostics& problems) {
  return read_document(std::make_shared<Source>(Source{"p.json", text}), Format::json, "", problems);
}

TEST(JsonReader, KnowsWhereEveryValueStands) {
  Diagnostics problems;
  const auto document =
      read("{\n  \"name\": \"prüfen\", \"caps\": {\"cpus\": 1.5},\n  \"list\": [\"a\", 2, true, null]\n}\n", problems);
  ASSERT_TRUE(document) << problems.sorted()[0].message;
  const Entry* caps = document->root.find("caps");
  EXPECT_EQ(caps->key_span.line, 2U);
  EXPECT_EQ(caps->key_span.column, 21U) << "columns count characters, not bytes";
  EXPECT_EQ(caps->value.find("cpus")->value.floating, 1.5);
  EXPECT_EQ(caps->value.find("cpus")->value.span.column, 38U);
  const Node& list = document->root.find("list")->value;
  EXPECT_EQ(list.items.at(1).integer, 2);
  EXPECT_EQ(list.items.at(2).span.length, 4U);
  EXPECT_EQ(list.items.at(3).kind, Node::Kind::null);
}

TEST(JsonReader, ReadsEscapesAsUtf8) {
  Diagnostics problems;
  const auto document = read(R"({"a": "\u00e4\u20ac\ud83d\ude00\t\"\\\/"})", problems);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root.find("a")->value.text, "ä€😀\t\"\\/");
}

TEST(JsonReader, SurvivesEveryCutAndManyChanges) {
  const std::string whole = R"({"a": ["x", -1.5e3, {"b": "\u00e4\ud83d\ude00"}], "c": true, "d": null, "e": 12})";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Diagnostics problems;
    EXPECT_FALSE(read(whole.substr(0, size), problems)) << size;
    EXPECT_TRUE(problems.has_errors());
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string changed = whole;
    for (unsigned i = 0; i <= random() % 3; ++i) changed[random() % changed.size()] = static_cast<char>(random());
    Diagnostics problems;
    const auto document = read(changed, problems);
    EXPECT_NE(document.has_value(), problems.has_errors());
  }
}

TEST(JsonReader, DepthAndSizeAreBounded) {
  for (const std::string open : {"[", "{\"a\":"}) {
    std::string text = "{\"a\":";
    for (int i = 0; i < 100'000; ++i) text += open;
    Diagnostics problems;
    EXPECT_FALSE(read(text, problems));
    EXPECT_EQ(problems.sorted().at(0).code, "too-deep");
  }
  Diagnostics problems;
  EXPECT_FALSE(read(std::string(largest_document + 1, ' '), problems));
  EXPECT_EQ(problems.sorted().at(0).code, "file-too-large");
}

}  // namespace
}  // namespace sanduk
