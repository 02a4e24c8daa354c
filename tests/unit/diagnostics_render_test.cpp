#include <gtest/gtest.h>

#include "base/json.h"
#include "base/text.h"
#include "diagnostics/render.h"

namespace sanduk {
namespace {

std::shared_ptr<const Source> source(const std::string& text, const std::string& name = "review.toml") {
  return std::make_shared<Source>(Source{name, text});
}

TEST(Render, MarksThePlace) {
  const auto file = source(std::string(8, '\n') + "modle = \"claude-opus-5\"\n");
  EXPECT_EQ(render_text(error("unknown-key", "unknown key `modle` in [agent]")
                            .at({file, 9, 1, 5})
                            .with_help("did you mean `model`?")),
            "error[unknown-key]: unknown key `modle` in [agent]\n"
            " --> review.toml:9:1\n"
            "  |\n"
            "9 | modle = \"claude-opus-5\"\n"
            "  | ^^^^^\n"
            "  = help: did you mean `model`?\n");
}

TEST(Render, MakesRoomForLongLineNumbers) {
  const auto file = source(std::string(122, '\n') + "a\n");
  const std::string text = render_text(error("x", "y").at({file, 123, 1}).at({file, 7, 1}, "first").note("n"));
  EXPECT_EQ(text,
            "error[x]: y\n"
            "   --> review.toml:123:1\n"
            "    |\n"
            "123 | a\n"
            "    | ^\n"
            "   ::: review.toml:7:1\n"
            "    |\n"
            "  7 |\n"
            "    | - first\n"
            "    = note: n\n");
}

TEST(Render, CountsCharactersAndNotBytes) {
  const auto file = source("näme = \"世界\", modle = 1\n");
  const std::string text = render_text(error("x", "y").at({file, 1, 14, 5}));
  EXPECT_NE(text.find("1 | näme = \"世界\", modle = 1\n  |              ^^^^^\n"), std::string::npos) << text;
}

TEST(Render, CutsALongLineAroundThePlace) {
  const auto file = source(std::string(5000, 'a') + " here " + std::string(5000, 'b'));
  const std::vector<std::string> lines = split(render_text(error("x", "y").at({file, 1, 5002, 4})), '\n');
  ASSERT_GE(lines.size(), 5U);
  EXPECT_LT(lines[3].size(), 200U);
  const std::size_t marks = lines[4].find("^^^^");
  // "…" is one character and three bytes.
  EXPECT_EQ(lines[3].substr(marks + 2, 4), "here") << lines[3];
}

TEST(Render, StaysWithinTheLine) {
  const auto file = source("ab\n");
  for (const std::size_t column : {1U, 2U, 3U, 4U, 100U}) {
    const std::string text = render_text(error("x", "y").at({file, 1, column, 1000}));
    for (const std::string& line : split(text, '\n')) EXPECT_LT(line.size(), 110U) << text;
  }
  EXPECT_NE(render_text(error("x", "y").at({file, 77, 1})).find("review.toml:77:1"), std::string::npos);
}

TEST(Render, SaysNothingThatATerminalObeys) {
  const auto file = source("a = \"\x1b]0;title\x07\"\r\n", "na\x1b[31mme\n.toml");
  const std::string text = render_text(
      error("x", "bad \x1b[2J\n\xe2\x80\xae").at({file, 1, 1}, "la\x1b[1mbel").note("no\x9bte").with_help("he\x07lp"));
  for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n') << text;
  EXPECT_EQ(split(text, '\n')[1], " --> na?[31mme?.toml:1:1");
}

TEST(Render, PaintsOnlyWhenAsked) {
  const auto file = source("a\n");
  const Diagnostic problem = error("x", "y").at({file, 1, 1}).with_help("z");
  EXPECT_EQ(render_text(problem).find('\x1b'), std::string::npos);
  EXPECT_NE(render_text(problem, {true}).find('\x1b'), std::string::npos);
}

TEST(Render, EndsWithTheCountOfErrors) {
  Diagnostics problems;
  EXPECT_EQ(render_text(problems), "");
  problems.add(warning("w", "careful"));
  EXPECT_EQ(render_text(problems), "warning[w]: careful\n\n");
  problems.add(error("x", "y"));
  EXPECT_TRUE(render_text(problems).ends_with("\n\nsanduk: 1 error; nothing was started\n"));
  problems.add(error("x", "y"));
  EXPECT_TRUE(render_text(problems).ends_with("\n\nsanduk: 2 errors; nothing was started\n"));
}

TEST(Render, SortsByFileAndPlace) {
  const auto first = source("a\nb\nc\n", "first.toml");
  const auto second = source("a\nb\nc\n", "second.toml");
  Diagnostics problems;
  problems.add(error("nowhere", "m"));
  problems.add(error("b", "m").at({second, 1, 1}));
  problems.add(error("a2", "m").at({first, 3, 1}));
  problems.add(error("a1", "m").at({first, 1, 2}));
  problems.add(error("a0", "m").at({first, 1, 1}));
  std::vector<std::string> codes;
  for (const Diagnostic& problem : problems.sorted()) codes.push_back(problem.code);
  EXPECT_EQ(codes, (std::vector<std::string>{"b", "a0", "a1", "a2", "nowhere"}));
}

TEST(Render, WritesJsonThatHoldsEverything) {
  const auto file = source("a = 1\n");
  Diagnostics problems;
  problems.add(error("x", "y \"quoted\"").at({file, 1, 5, 1}, "here").note("n").with_help("h"));
  problems.add(warning("w", "nowhere"));
  const Poco::JSON::Object::Ptr json = parse_json_object(render_json(problems));
  ASSERT_TRUE(json);
  EXPECT_EQ(json_integer(json, "errors"), 1);
  EXPECT_EQ(json_integer(json, "warnings"), 1);
  const Poco::JSON::Array::Ptr list = json_array(json, "diagnostics");
  ASSERT_EQ(list->size(), 2U);
  const Poco::JSON::Object::Ptr first = list->getObject(0);
  EXPECT_EQ(json_text(first, "severity"), "error");
  EXPECT_EQ(json_text(first, "code"), "x");
  EXPECT_EQ(json_text(first, "message"), "y \"quoted\"");
  EXPECT_EQ(json_text(first, "help"), "h");
  const Poco::JSON::Object::Ptr label = json_array(first, "labels")->getObject(0);
  EXPECT_EQ(json_text(label, "file"), "review.toml");
  EXPECT_EQ(json_integer(label, "line"), 1);
  EXPECT_EQ(json_integer(label, "column"), 5);
}

}  // namespace
}  // namespace sanduk
