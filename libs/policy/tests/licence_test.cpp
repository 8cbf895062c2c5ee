#include "ki/policy/licence.h"

#include <gtest/gtest.h>

namespace ki::policy {
namespace {

TEST(ConcludeLicence, NeverGuesses) {
  struct Case {
    const char* why;
    std::string declared;
    std::optional<std::string> concluded;
  };
  for (const auto& [why, declared, concluded] : std::initializer_list<Case>{
           {"blank", "", {}},
           {"only space", " \t\n", {}},
           {"casing of the list", "apache-2.0", "Apache-2.0"},
           {"casing of a deprecated id", "gpl-3.0", "GPL-3.0"},
           {"trimmed", "  MIT ", "MIT"},
           {"an expression keeps its text", "MIT OR BSD-3-Clause", "MIT OR BSD-3-Clause"},
           {"ids of expressions in exact case", "mit OR BSD-3-Clause", {}},
           {"operators in upper case", "MIT or BSD-3-Clause", {}},
           {"a family is no licence", "BSD", {}},
           {"a name is no id", "Apache 2.0", {}},
           {"parentheses", "(MIT AND (ISC OR Zlib))", "(MIT AND (ISC OR Zlib))"},
           {"no space is needed beside them", "(MIT)OR(ISC)", "(MIT)OR(ISC)"},
           {"open parenthesis", "(MIT", {}},
           {"empty parentheses", "()", {}},
           {"or later", "GPL-2.0+", "GPL-2.0+"},
           {"or later of an expression is none", "(MIT)+", {}},
           {"space before the plus", "MIT +", {}},
           {"known exception", "Apache-2.0 WITH LLVM-exception", "Apache-2.0 WITH LLVM-exception"},
           {"unknown exception", "Apache-2.0 WITH Foo-exception", {}},
           {"an exception is no licence", "LLVM-exception", {}},
           {"reference", "LicenseRef-Foo.1", "LicenseRef-Foo.1"},
           {"reference without a name", "LicenseRef-", {}},
           {"document reference", "DocumentRef-a:LicenseRef-b", "DocumentRef-a:LicenseRef-b"},
           {"document reference to an id", "DocumentRef-a:MIT", {}},
           {"operand missing", "MIT AND", {}},
           {"operator missing", "MIT ISC", {}},
           {"NONE is no licence", "NONE", {}},
           {"other bytes", "MIT\xC2\xA0", {}},
       }) {
    EXPECT_EQ(conclude_licence(declared), concluded) << why;
  }
}

TEST(LicenceExpression, BindsAndTighterThanOr) {
  const auto expression =
      parse_licence_expression("MIT OR ISC AND Zlib+ OR Apache-2.0 WITH LLVM-exception");
  ASSERT_TRUE(expression);
  ASSERT_EQ(expression->kind, LicenceExpression::Kind::kOr);
  ASSERT_EQ(expression->operands.size(), 3u);
  const auto& both = expression->operands[1];
  EXPECT_EQ(both.kind, LicenceExpression::Kind::kAnd);
  EXPECT_EQ(both.operands[1].licence, "Zlib");
  EXPECT_TRUE(both.operands[1].or_later);
  EXPECT_EQ(expression->operands[2].exception, "LLVM-exception");
}

TEST(LicenceExpression, OfAnyDepthDoesNotGrowTheStack) {
  EXPECT_TRUE(parse_licence_expression(std::string(60, '(') + "MIT" + std::string(60, ')')));
  EXPECT_FALSE(
      parse_licence_expression(std::string(100000, '(') + "MIT" + std::string(100000, ')')));
}

TEST(Permissive, IsEvaluatedInV2) {
  struct Case {
    const char* concluded;
    bool v1;
    bool v2;
  };
  for (const auto& [concluded, v1, v2] : {
           Case{"MIT", true, true},
           Case{"BSL-1.0", true, true},
           Case{"0BSD", false, true},
           Case{"Unlicense", false, true},
           Case{"CC0-1.0", false, true},
           Case{"MIT-0", false, true},
           Case{"MIT OR GPL-3.0-only", false, true},
           Case{"MIT AND GPL-3.0-only", false, false},
           Case{"MIT AND (GPL-2.0-only OR ISC)", false, true},
           Case{"Apache-2.0 WITH LLVM-exception", false, true},
           Case{"GPL-2.0-only WITH Classpath-exception-2.0", false, false},
           Case{"MIT+", false, true},
           Case{"LicenseRef-MIT", false, false},
           Case{"mit", false, false},
           Case{"", false, false},
           Case{"BUSL-1.1", false, false},
       }) {
    EXPECT_EQ(is_permissive_v1(concluded), v1) << concluded;
    EXPECT_EQ(is_permissive_v2(concluded), v2) << concluded;
  }
}

TEST(LicenceFilter, HasTwoWordsOfItsOwn) {
  EXPECT_TRUE(matches_licence_filter("permissive", "MIT OR GPL-3.0-only"));
  EXPECT_FALSE(matches_licence_filter("permissive", "MIT OR GPL-3.0-only", LicencePolicy::kV1));
  EXPECT_FALSE(matches_licence_filter("permissive", std::nullopt));
  EXPECT_TRUE(matches_licence_filter("unknown", std::nullopt));
  EXPECT_FALSE(matches_licence_filter("unknown", "MIT"));
  EXPECT_TRUE(matches_licence_filter("apache-2.0", "Apache-2.0"));
  EXPECT_FALSE(matches_licence_filter("apache-2.0", "MIT"));
  EXPECT_FALSE(matches_licence_filter("mit", std::nullopt));
}

TEST(LicenceName, IsKnownForTheReciprocityLicence) {
  EXPECT_EQ(licence_display_name("LicenseRef-GPUMode-Reciprocity-1.0"),
            "June 9 Researcher Reciprocity License v1.0");
  EXPECT_EQ(licence_display_name("MIT"), "MIT");
}

TEST(Spdx, TablesHoldBothKindsOfIds) {
  EXPECT_TRUE(is_spdx_licence("MIT"));
  EXPECT_TRUE(is_spdx_licence("GPL-3.0")) << "deprecated";
  EXPECT_FALSE(is_spdx_licence("mit"));
  EXPECT_FALSE(is_spdx_licence("LLVM-exception"));
  EXPECT_TRUE(is_spdx_exception("Classpath-exception-2.0"));
  EXPECT_EQ(spdx_licence_ignoring_case("BSD-3-CLAUSE"), "BSD-3-Clause");
  EXPECT_EQ(spdx_licence_ignoring_case("nothing"), std::nullopt);
}

}  // namespace
}  // namespace ki::policy
