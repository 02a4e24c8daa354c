#include <gtest/gtest.h>

#include "unit/config_support.h"

namespace sanduk::test {
namespace {

TEST(TomlReader, KeepsTypesPlacesAndFileOrder) {
  const Reading r = read_as_toml(
      "zeta = 1\nalpha = \"x\"\n[agent]\nname = 'y'\nenv = { B = \"1\", A = \"2\" }\n[caps]\ncpus = 1.5\nkeep = "
      "true\nday = 2026-01-02\n");
  ASSERT_TRUE(r.document);
  std::vector<std::string> order;
  for (const Entry& entry : r.document->root.entries) order.push_back(entry.key);
  EXPECT_EQ(order, (std::vector<std::string>{"zeta", "alpha", "agent", "caps"}));
  EXPECT_EQ(r.at("zeta").kind, Node::Kind::integer);
  EXPECT_EQ(r.at("alpha").text, "x");
  EXPECT_FALSE(r.at("alpha").plain);
  const Node& agent = r.at("agent");
  EXPECT_EQ(agent.find("name")->value.span.line, 4U);
  EXPECT_EQ(agent.find("name")->value.span.column, 8U);
  EXPECT_EQ(agent.find("name")->value.span.length, 3U);
  EXPECT_EQ(agent.find("env")->value.entries[0].key, "B");
  EXPECT_EQ(r.at("caps").find("cpus")->value.kind, Node::Kind::floating);
  EXPECT_EQ(r.at("caps").find("keep")->value.kind, Node::Kind::boolean);
  EXPECT_EQ(r.at("caps").find("day")->value.kind, Node::Kind::datetime);
}

TEST(TomlReader, TakesNothingAndComments) {
  for (const char* text : {"", "\n", "# only this", "\r\n\r\n", "  \t\n"}) {
    const Reading r = read_as_toml(text);
    ASSERT_TRUE(r.document) << text;
    EXPECT_TRUE(r.document->root.entries.empty());
  }
  EXPECT_EQ(read_as_toml("a = 1\r\nb = \"x\"\r\n").at("b").text, "x");
}

TEST(TomlReader, RefusesWhatTomlIsNot) {
  for (const char* text : {"a",
                           "a =",
                           "a = b",
                           "a = True",
                           "a = 01",
                           "a = 1__0",
                           "a = \"x",
                           "a = \"x\n\"",
                           "a = \"\\q\"",
                           "[a",
                           "[a]]",
                           "a = [1",
                           "a = {b = 1,}",
                           "a = {b = 1\n}",
                           "a: 1",
                           "= 1",
                           "a = 99999999999999999999",
                           "a = 1 b = 2",
                           "a = 12:30",
                           "a = \"\"\"x"}) {
    const Reading r = read_as_toml(text);
    EXPECT_FALSE(r.document) << text;
    EXPECT_EQ(r.codes, Codes{"syntax"}) << text;
    EXPECT_FALSE(r.problems.sorted()[0].help.empty()) << text;
    EXPECT_EQ(r.message().find("Error while"), std::string::npos) << r.message();
  }
}

TEST(TomlReader, ShowsBothPlacesOfADuplicate) {
  struct {
    const char* text;
    std::size_t second_line;
    std::size_t first_line;
  } const cases[] = {
      {"a = 1\nb = 2\na = 3\n", 3, 1},
      {"[caps]\ncpus = 1\n\n[agent]\ncpus = 9\n[log]\n[caps.x]\n[network]\nmode = 1\nmode = 2\n", 10, 9},
      {"[agent]\nname = 1\n[caps]\n[agent]\n", 4, 1},
      {"a.b = 1\na.c = 2\na.b = 3\n", 3, 1},
      {"[[a]]\nx = 1\n[[a]]\nx = 1\nx = 2\n", 5, 4},
      {"a = 1\n[a]\n", 2, 1},
      {"[a.b]\n[a.b]\n", 2, 1},
      {"\"k = y\" = 1\nz = 1\nz = 2\n", 3, 2},
  };
  for (const auto& one : cases) {
    const Reading r = read_as_toml(one.text);
    ASSERT_EQ(r.codes, Codes{"duplicate-key"}) << one.text;
    const Diagnostic problem = r.problems.sorted()[0];
    EXPECT_EQ(problem.labels[0].span.line, one.second_line) << one.text;
    ASSERT_EQ(problem.labels.size(), 2U) << one.text;
    EXPECT_EQ(problem.labels[1].span.line, one.first_line) << one.text;
  }
  // Inside of one inline table there is no line before it: one place must do.
  EXPECT_EQ(read_as_toml("a = { b = 1, b = 2 }\n").codes, Codes{"duplicate-key"});
}

TEST(TomlReader, BoundsDepthHoweverItIsWritten) {
  const std::string deep = times("a.", 100000);
  const std::string quoted = times("\"a\".", 100000);
  const std::string literal = times("'a'.", 100000);
  const std::string spaced = times("a . ", 100000);
  for (const std::string& text : std::vector<std::string>{
           deep + "a = 1\n",
           quoted + "a = 1\n",
           literal + "a = 1\n",
           spaced + "a = 1\n",
           "[" + deep + "a]\n",
           "[[" + deep + "a]]\n",
           "[" + quoted + "\"a\"]\n",
           "x = { " + deep + "a = 1 }\n",
           "x = [ { " + deep + "a = 1 } ]\n",
           "a = " + times("[", 100000),
           "a = " + times("[", 5000) + times("]", 5000),
           "a = " + times("[", 100) + times("]", 100),
           "a = " + times("{b=", 100000),
           times("{", 100000),
           "# quiet \"\n" + deep + "a = 1\n",
           "s = '''\n'''\n" + deep + "a = 1\n",
           "s = \"\"\"\\\"\"\"\"\n" + deep + "a = 1\n",
           "s = \"\"\"x\"\"\"\"\n" + deep + "a = 1\n",
           "s = '''x'''''\n" + deep + "a=1\n",
           "s = \"unfinished\n" + deep + "a = 1\n",
           "[a.\"b.c\"." + deep + "d]\n",
       }) {
    if (text.size() > largest_document) FAIL() << "the case is too large to prove anything";
    const Reading r = read_as_toml(text);
    EXPECT_FALSE(r.document) << text.substr(0, 40);
    ASSERT_EQ(r.codes.size(), 1U);
    EXPECT_TRUE(r.codes[0] == "too-deep" || r.codes[0] == "syntax") << r.codes[0] << " " << text.substr(0, 40);
  }
  EXPECT_TRUE(read_as_toml(times("a.", 40) + "a = " + times("[", 20) + times("]", 20)).document);
}

// Dots that are no parts of a key do not count.
TEST(TomlReader, CountsOnlyTheDotsOfKeys) {
  EXPECT_TRUE(read_as_toml("a = \"" + times(".", 1000) + "\"\nb = '" + times(".", 1000) + "'\n# " + times(".", 1000) +
                           "\nc = 1\n")
                  .document);
  EXPECT_TRUE(
      read_as_toml("a = \"\"\"\n" + times("a.b.c.\n", 100) + "\"\"\"\nb = '''\n" + times("\".'.\n", 100) + "'''\n")
          .document);
  EXPECT_TRUE(read_as_toml(times("a = 1.5\n", 1) + "l = [" + times("1.5,", 500) + "]\n").document);
}

TEST(TomlReader, IsNotSlowOnAMebibyte) {
  std::string text;
  for (int i = 0; text.size() + 32 < largest_document; ++i)
    text += "k" + std::to_string(i) + " = " + std::to_string(i) + "\n";
  EXPECT_TRUE(read_as_toml(text).document);
  std::string repeated = text + "k0 = 1\n";
  EXPECT_EQ(read_as_toml(repeated).codes, Codes{"duplicate-key"});
  EXPECT_EQ(read_as_toml(text + std::string(64, '#')).codes, Codes{"file-too-large"});
}

}  // namespace
}  // namespace sanduk::test
