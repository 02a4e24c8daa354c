#include <gtest/gtest.h>

#include "unit/config_support.h"

namespace sanduk::test {
namespace {

// Words that YAML 1.1 turns into something else stay what was written; the setting decides.
TEST(YamlReader, LeavesPlainWordsAlone) {
  for (const char* word :
       {"yes", "no", "on",    "off",     "y",          "n",    "True", "FALSE", "0755", "0o17", "0x1F", "1_000",
        "1e3", ".5", "12:30", "1:20:30", "2026-01-02", ".inf", "nan",  "-",     "true", "3",    "nil",  "none"}) {
    if (std::string(word) == "-") continue;
    const Reading r = read_as_yaml(std::string("key: ") + word + "\n");
    ASSERT_TRUE(r.document) << word;
    EXPECT_EQ(r.at("key").kind, Node::Kind::string) << word;
    EXPECT_TRUE(r.at("key").plain) << word;
    EXPECT_EQ(r.at("key").text, word);
  }
}

TEST(YamlReader, KnowsQuotedFromPlain) {
  for (const char* text : {"key: \"true\"\n", "key: 'true'\n", "key: |-\n  true\n", "key: >-\n  true\n"}) {
    const Reading r = read_as_yaml(text);
    ASSERT_TRUE(r.document) << text;
    EXPECT_EQ(r.at("key").text, "true");
    EXPECT_FALSE(r.at("key").plain) << text;
  }
}

TEST(YamlReader, HasOneNothing) {
  for (const char* text :
       {"key: ~\n", "key: null\n", "key:\n", "key: # said nothing\nother: 1\n", "{key: }\n", "key: NULL\n"}) {
    const Reading r = read_as_yaml(text);
    ASSERT_TRUE(r.document) << text;
    EXPECT_EQ(r.at("key").kind, Node::Kind::null) << text;
    EXPECT_EQ(r.at("key").span.line, 1U) << text;
  }
  for (const char* text : {"", "\n", "# only this\n", "---\n", "---\n...\n", "~\n"}) {
    const Reading r = read_as_yaml(text);
    ASSERT_TRUE(r.document) << text;
    EXPECT_TRUE(r.document->root.entries.empty());
  }
}

TEST(YamlReader, KeepsPlaces) {
  const Reading r =
      read_as_yaml("version: 1\nagent:\n  name: \"clau\\\"de\"\n  env: {GRÜN: 'ja', B: x}\nlist:\n- one\n- two\n");
  ASSERT_TRUE(r.document);
  const Node& agent = r.at("agent");
  EXPECT_EQ(agent.find("name")->key_span.line, 3U);
  EXPECT_EQ(agent.find("name")->key_span.column, 3U);
  EXPECT_EQ(agent.find("name")->value.span.column, 9U);
  EXPECT_EQ(agent.find("name")->value.span.length, 10U);
  EXPECT_EQ(agent.find("env")->value.entries[1].key_span.column, 21U);
  EXPECT_EQ(r.at("list").items[1].span.line, 7U);
}

TEST(YamlReader, RefusesWhatIsNotInTheSubset) {
  struct {
    const char* text;
    const char* code;
  } const cases[] = {
      {"a: &x 1\n", "yaml-subset"},
      {"a: &x [1]\nb: *x\n", "yaml-subset"},
      {"a: *x\n", "yaml-subset"},
      {"&a [*a]\n", "yaml-subset"},
      {"a: &a [*a]\n", "yaml-subset"},
      {"a: &a\n  <<: *a\n", "yaml-subset"},
      {"a: {<<: {b: 1}}\n", "yaml-subset"},
      {"a: !!str 1\n", "yaml-subset"},
      {"a: !mine 1\n", "yaml-subset"},
      {"a: !!python/object:os.system [ls]\n", "yaml-subset"},
      {"!!map {a: 1}\n", "yaml-subset"},
      {"a: !!null\n", "yaml-subset"},
      {"a: 1\n---\nb: 2\n", "yaml-subset"},
      {"a: 1\n...\n---\n", "yaml-subset"},
      {"---\n---\na: 1\n", "yaml-subset"},
      {"? [a]\n: 1\n", "yaml-subset"},
      {"? {a: 1}\n: 1\n", "yaml-subset"},
      {"~: 1\n", "yaml-subset"},
      {": 1\n", "yaml-subset"},
      {"%YAML 1.1\n---\na: yes\n", "yaml-subset"},
      {"%TAG ! tag:x,2000:\n---\na: 1\n", "yaml-subset"},
      {"a: 1\na: 2\n", "duplicate-key"},
      {"a: {b: 1, b: 2}\n", "duplicate-key"},
      {"\"a\": 1\na: 2\n", "duplicate-key"},
      {"- a\n", "syntax"},
      {"words\n", "syntax"},
      {"\"quoted\"\n", "syntax"},
      {"a:\n\tb: 1\n", "syntax"},
      {"a: [1\n", "syntax"},
      {"a: {b: 1\n", "syntax"},
      {"a: \"x\n", "syntax"},
      {"a: 'x\n", "syntax"},
      {"a: b: c\n", "syntax"},
      {"a: 1\n b: 2\n", "syntax"},
      {"a: @x\n", "syntax"},
      {"a: `x`\n", "syntax"},
      {"a: \"\\q\"\n", "syntax"},
  };
  for (const auto& one : cases) {
    const Reading r = read_as_yaml(one.text);
    EXPECT_FALSE(r.document) << one.text;
    EXPECT_EQ(r.codes, Codes{one.code}) << one.text << r.message();
    if (r.codes.empty()) continue;
    EXPECT_FALSE(r.problems.sorted()[0].help.empty()) << one.text;
  }
}

TEST(YamlReader, EndsQuicklyOnBombs) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c <= 'z'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    bomb += std::string(1, c) + ": &" + c + " [" + times("*" + before + ",", 9) + "]\n";
  }
  EXPECT_EQ(read_as_yaml(bomb).codes, Codes{"yaml-subset"});
  for (const std::string& text :
       {"a: " + times("[", 100000), "a: " + times("{b: ", 100000), times("- ", 100000) + "x\n",
        times("? ", 100000) + "x\n", "a: " + times("[", 100) + times("]", 100) + "\n", times("[", 3000),
        times("{", 3000)}) {
    const Reading r = read_as_yaml(text);
    EXPECT_FALSE(r.document) << text.substr(0, 20);
    EXPECT_EQ(r.codes.size(), 1U);
  }
  std::string nested;
  for (std::size_t i = 0; i < 1000; ++i) nested += std::string(i, ' ') + "a:\n";
  EXPECT_EQ(read_as_yaml(nested).codes, Codes{"too-deep"});
}

TEST(YamlReader, IsNotSlowOnAMebibyte) {
  std::string text;
  for (int i = 0; text.size() + 32 < largest_document; ++i)
    text += "k" + std::to_string(i) + ": " + std::to_string(i) + "\n";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(read_as_yaml(text).document);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(read_as_yaml(text + std::string(64, '#')).codes, Codes{"file-too-large"});
}

// What is true of both readers.
TEST(Readers, RefuseBytesThatNoProfileHolds) {
  for (const Format format : {Format::toml, Format::yaml}) {
    const std::string key = format == Format::toml ? "a = " : "a: ";
    for (const std::string& bad :
         {std::string("\0", 1), std::string("\x1b[0m"), std::string("\x7f"), std::string("\x01"), std::string("\xff"),
          std::string("\xc3("), std::string("\xed\xa0\x80"), std::string("\f"), std::string("\b")}) {
      const Reading r = read_text(key + "\"ü" + bad + "\"\n", format);
      EXPECT_EQ(r.codes, Codes{"invalid-bytes"});
      EXPECT_EQ(r.place().line, 1U);
      EXPECT_EQ(r.place().column, key.size() + 3) << "the place of the first bad byte, in characters";
    }
  }
}

TEST(Readers, TakeCarriageReturns) {
  EXPECT_EQ(read_as_yaml("a: x\r\nb:\r\n  c: y\r\n").at("b").find("c")->value.text, "y");
  EXPECT_EQ(read_as_toml("a = \"x\"\r\n[b]\r\nc = \"y\"\r\n").at("b").find("c")->value.text, "y");
}

TEST(Readers, SayTheSameOfTheSame) {
  const Reading toml =
      read_as_toml("version = 1\nname = \"a\\tb\\u00fc\"\nlist = [\"x\", \"y\"]\n[agent]\nenv = { A = \"1\" }\n");
  const Reading yaml = read_as_yaml("version: 1\nname: \"a\\tb\\u00fc\"\nlist: [x, y]\nagent:\n  env: {A: \"1\"}\n");
  ASSERT_TRUE(toml.document && yaml.document);
  EXPECT_EQ(toml.at("name").text, yaml.at("name").text);
  EXPECT_EQ(toml.at("list").items[1].text, yaml.at("list").items[1].text);
  EXPECT_EQ(toml.at("agent").find("env")->value.find("A")->value.text,
            yaml.at("agent").find("env")->value.find("A")->value.text);
}

}  // namespace
}  // namespace sanduk::test
