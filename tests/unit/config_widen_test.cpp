// Which change lets a box do more: one table of cases a rule.
#include <gtest/gtest.h>

#include "config/widen.h"

namespace sanduk {
namespace {

Comparable number(double value) { return {true, value, std::to_string(value), {}}; }
Comparable list(std::vector<std::string> items) { return {true, 0, "list", std::move(items)}; }
Comparable word(std::string text) { return {true, 0, std::move(text), {}}; }
const Comparable absent;

Change from(Widens kind, const Comparable& before, const Comparable& after) {
  return compare({kind, {}}, before, after);
}

TEST(Widen, NumbersAndSwitches) {
  EXPECT_EQ(from(Widens::larger, number(1), number(2)), Change::widens);
  EXPECT_EQ(from(Widens::larger, number(2), number(1)), Change::narrows);
  EXPECT_EQ(from(Widens::larger, number(2), number(2)), Change::same);
  EXPECT_EQ(from(Widens::unlimited, number(2), absent), Change::widens);
  EXPECT_EQ(from(Widens::unlimited, absent, number(1e9)), Change::narrows);
  EXPECT_EQ(from(Widens::unlimited, absent, absent), Change::same);
  EXPECT_EQ(from(Widens::turned_on, number(0), number(1)), Change::widens);
  EXPECT_EQ(from(Widens::turned_off, number(1), number(0)), Change::widens);
}

TEST(Widen, AnAllowlistThatIsAbsentAllowsEverything) {
  EXPECT_EQ(from(Widens::allowlist, list({"a"}), absent), Change::widens);
  EXPECT_EQ(from(Widens::allowlist, list({}), absent), Change::widens);
  EXPECT_EQ(from(Widens::allowlist, absent, list({})), Change::narrows);
  EXPECT_EQ(from(Widens::allowlist, list({"a"}), list({"a", "b"})), Change::widens);
  EXPECT_EQ(from(Widens::allowlist, list({"a", "b"}), list({"b"})), Change::narrows);
  EXPECT_EQ(from(Widens::allowlist, list({"a", "b"}), list({"b", "a"})), Change::same);
  EXPECT_EQ(from(Widens::allowlist, list({"a", "b"}), list({"c"})), Change::widens) << "fewer, but another one";
}

TEST(Widen, GrantsAndGuards) {
  EXPECT_EQ(from(Widens::grants, absent, list({"/d:/d"})), Change::widens);
  EXPECT_EQ(from(Widens::grants, list({"/d:/d"}), absent), Change::narrows);
  EXPECT_EQ(from(Widens::grants, list({"/d:/d"}), list({"/d:/d:ro"})), Change::narrows);
  EXPECT_EQ(from(Widens::grants, list({"/d:/d:ro"}), list({"/d:/d"})), Change::widens);
  EXPECT_EQ(from(Widens::guards, list({".git", ".envrc"}), list({".git"})), Change::widens);
  EXPECT_EQ(from(Widens::guards, list({".git"}), list({".git", ".envrc"})), Change::narrows);
}

TEST(Widen, Words) {
  const WidenRule mode{Widens::later, {"sealed", "key-safe", "open"}};
  EXPECT_EQ(compare(mode, word("sealed"), word("open")), Change::widens);
  EXPECT_EQ(compare(mode, word("open"), word("key-safe")), Change::narrows);
  EXPECT_EQ(from(Widens::replaced, word("a:1"), word("a:2")), Change::widens);
  EXPECT_EQ(from(Widens::never, word("a"), word("b")), Change::neutral);
  EXPECT_EQ(from(Widens::command, word("env:A"), word("env:B")), Change::neutral);
  EXPECT_EQ(from(Widens::command, word("env:A"), word("command:sh")), Change::widens);
}

TEST(Widen, Directories) {
  EXPECT_EQ(from(Widens::ancestor, word("/repo/src"), word("/repo")), Change::widens);
  EXPECT_EQ(from(Widens::ancestor, word("/repo"), word("/repo/src")), Change::narrows);
  EXPECT_EQ(from(Widens::ancestor, word("/repo/src"), word("/repo/srcs")), Change::neutral);
  EXPECT_EQ(from(Widens::ancestor, word("/repo/"), word("/repo")), Change::same);
}

}  // namespace
}  // namespace sanduk
