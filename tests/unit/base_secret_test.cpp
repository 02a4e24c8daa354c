#include <gtest/gtest.h>

#include <concepts>
#include <set>
#include <sstream>
#include <type_traits>

#include "base/secret.h"

namespace sanduk {
namespace {

// A log line that prints a key must not compile.
template <class T>
concept Printable = requires(std::ostringstream& stream, const T& value) {
  stream << value;
};

static_assert(Printable<std::string>);
static_assert(!Printable<Secret>);
static_assert(!std::convertible_to<Secret, std::string>);
static_assert(!std::convertible_to<Secret, std::string_view>);
static_assert(!std::convertible_to<std::string, Secret>);
static_assert(!std::is_copy_constructible_v<Secret>);
static_assert(!std::is_copy_assignable_v<Secret>);
static_assert(!std::equality_comparable<Secret>);

TEST(SecretTest, MatchesItselfAlone) {
  const Secret secret("sanduk-0123456789");
  EXPECT_TRUE(secret.matches("sanduk-0123456789"));
  for (const char* other : {"", "sanduk-012345678", "sanduk-01234567890", "Sanduk-0123456789", "sanduk-0123456780"}) {
    EXPECT_FALSE(secret.matches(other)) << other;
  }
  // An empty secret opens nothing.
  EXPECT_FALSE(Secret().matches("x"));
}

TEST(SecretTest, MovesAndLeavesNothingBehind) {
  Secret first("a long secret that is not stored inside of the string object itself");
  const Secret second = std::move(first);
  EXPECT_TRUE(first.empty());
  EXPECT_TRUE(second.reveal().starts_with("a long"));
  Secret third;
  third = second.copy();
  EXPECT_TRUE(third.matches(second.reveal()));
}

TEST(SecretTest, MakesTokensThatDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) seen.insert(std::string(make_token("sanduk-").reveal()));
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_EQ(seen.begin()->size(), 7U + 64U);
  EXPECT_TRUE(seen.begin()->starts_with("sanduk-"));
  EXPECT_EQ(random_hex(6).size(), 12U);
}

}  // namespace
}  // namespace sanduk
