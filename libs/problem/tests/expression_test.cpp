#include "ki/problem/expression.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace ki::problem {
namespace {

std::optional<std::int64_t> axis(std::string_view name) {
  if (name == "n") return 7;
  if (name == "zero") return 0;
  if (name == "big") return std::int64_t{1} << 40;
  return std::nullopt;
}

TEST(Expression, ComputesAsPythonDoes) {
  struct Case {
    const char* text;
    std::int64_t value;
  };
  for (const auto& [text, value] : std::initializer_list<Case>{
           {"7//2", 3},
           {"-7//2", -4},
           {"7//-2", -4},
           {"-7//-2", 3},
           {"-7%3", 2},
           {"7%-3", -2},
           {"8/2", 4},
           {"-2**2", -4},
           {"2**3**2", 512},
           {"1_000", 1000},
           {"0x10", 16},
           {"0o17", 15},
           {"0b101", 5},
           {"1e3", 1000},
           {"1.5*2", 3},
           {"+-3", -3},
           {"(1+\n2)", 3},
           {"5 # c", 5},
           {"True+1", 2},
           {"n*n-1", 48},
           {".5*4", 2},
           {"1.*3", 3},
           {"2**0.5*2**0.5//1", 2},
           {"7.5//2", 3},
           {"-7.5%2*2", 1},
           {"00", 0},
           {"1_0.0_1*100", 1001},
           {"4**-1*4", 1},
           {"big*big//big**1*0+1", 0},
       }) {
    SCOPED_TRACE(text);
    const auto parsed = Expression::parse(text);
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    const auto got = parsed->evaluate(axis);
    if (std::string_view(text).starts_with("big*big")) {
      ASSERT_FALSE(got);
      EXPECT_TRUE(got.error().message().starts_with("axis_overflow: "));
      continue;
    }
    ASSERT_TRUE(got) << got.error().to_string();
    EXPECT_EQ(*got, value);
  }
}

TEST(Expression, RefusesWhatIsNoExpression) {
  for (const char* text : {"1<<2",
                           "~1",
                           "a.b",
                           "f(1)",
                           "1 if 1 else 2",
                           "\"x\"",
                           "1j",
                           "",
                           " ",
                           "1+",
                           "(1",
                           "1)",
                           "01",
                           "0x",
                           "1__0",
                           "_1_",
                           "1e",
                           "a b",
                           "x[0]",
                           "1 < 2",
                           "not 1",
                           "a and b",
                           "1,2",
                           "2**",
                           "1.2.3",
                           "1\n+2",
                           "99999999999999999999"}) {
    SCOPED_TRACE(text);
    if (std::string_view(text) == "_1_") continue;  // a name
    EXPECT_FALSE(Expression::parse(text));
  }
  EXPECT_FALSE(Expression::parse(std::string(5000, '1')));
  EXPECT_FALSE(Expression::parse(std::string(1000, '(') + "1" + std::string(1000, ')')));
  EXPECT_FALSE(Expression::parse(std::string(1000, '-') + "1"));
}

TEST(Expression, NamesTheFaultOfAValue) {
  struct Case {
    const char* text;
    const char* code;
  };
  for (const auto& [text, code] : std::initializer_list<Case>{
           {"7/2", "not_an_integer: "},
           {"2**-1", "not_an_integer: "},
           {"10**30", "axis_overflow: "},
           {"1e30", "axis_overflow: "},
           {"9223372036854775807+1", "axis_overflow: "},
           {"-9223372036854775807-1-1", "axis_overflow: "},
           {"n//zero", "division_by_zero: "},
           {"n%zero", "division_by_zero: "},
           {"n/0.0", "division_by_zero: "},
           {"0**-1", "division_by_zero: "},
           {"m+1", "unknown_name: "},
       }) {
    SCOPED_TRACE(text);
    const auto parsed = Expression::parse(text);
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    const auto got = parsed->evaluate(axis);
    ASSERT_FALSE(got) << *got;
    EXPECT_TRUE(got.error().message().starts_with(code)) << got.error().message();
  }
}

TEST(Expression, ComparesInChains) {
  struct Case {
    const char* text;
    bool holds;
  };
  for (const auto& [text, holds] : std::initializer_list<Case>{{"n % 7 == 0", true},
                                                               {"1 < n <= 7", true},
                                                               {"1 < n < 7", false},
                                                               {"n != 7", false},
                                                               {"n / 2 == 3.5", true},
                                                               {"n", true},
                                                               {"zero", false}}) {
    SCOPED_TRACE(text);
    const auto parsed = Expression::parse_constraint(text);
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    const auto got = parsed->holds(axis);
    ASSERT_TRUE(got) << got.error().to_string();
    EXPECT_EQ(*got, holds);
  }
}

TEST(Expression, SaysWhereItStopped) {
  const auto parsed = Expression::parse("n + $");
  ASSERT_FALSE(parsed);
  EXPECT_TRUE(parsed.error().message().starts_with("column 5: ")) << parsed.error().message();
}

}  // namespace
}  // namespace ki::problem
