#include "../src/scalar.h"

#include "ki/json/canonical.h"

#include <gtest/gtest.h>

#include <string>

namespace ki::yaml {
namespace {

TEST(Scalar, ResolvesByTheCoreSchema) {
  struct Case {
    const char* text;
    const char* json;
    bool is_canonical = true;
  };
  for (const auto& [text, json, is_canonical] : std::initializer_list<Case>{
           {"", "null"},
           {"~", "null"},
           {"Null", "null"},
           {"nULL", "\"nULL\""},
           {"true", "true"},
           {"TRUE", "true"},
           {"False", "false"},
           {"tRUE", "\"tRUE\""},
           {"yes", "\"yes\""},
           {"no", "\"no\""},
           {"on", "\"on\""},
           {"off", "\"off\""},
           {"0", "0"},
           {"-0", "0", false},
           {"+1", "1", false},
           {"017", "17", false},
           {"0o17", "15", false},
           {"0o18", "\"0o18\""},
           {"0x10", "16", false},
           {"0xfF", "255", false},
           {"-0x10", "\"-0x10\""},
           {"0b1", "\"0b1\""},
           {"1_000", "\"1_000\""},
           {"1:30", "\"1:30\""},
           {"22:22", "\"22:22\""},
           {"1.0", "1", false},
           {"1.5", "1.5"},
           {"1.10", "1.1", false},
           {".5", "0.5", false},
           {"5.", "5", false},
           {"5.e3", "5000", false},
           {"1e3", "1000", false},
           {"1e-7", "1e-7"},
           {"1.5E+2", "150", false},
           {".", "\".\""},
           {"-", "\"-\""},
           {"+", "\"+\""},
           {"1e", "\"1e\""},
           {"e1", "\"e1\""},
           {"1.2.3", "\"1.2.3\""},
           {"2026-08-01", "\"2026-08-01\""},
           {"9007199254740991", "9007199254740991"},
           {"<=", "\"<=\""},
       }) {
    SCOPED_TRACE(text);
    const Scalar scalar = resolve_plain(text);
    ASSERT_EQ(scalar.error, ScalarError::kNone);
    EXPECT_EQ(json::canonical(scalar.value), json);
    EXPECT_EQ(scalar.value.has_canonical_spelling(), is_canonical);
    EXPECT_EQ(scalar.value.is_plain_yaml(), scalar.value.is_string());
  }
}

TEST(Scalar, RefusesNumbersThatADoubleDoesNotHold) {
  struct Case {
    const char* text;
    ScalarError error;
  };
  for (const auto& [text, error] : std::initializer_list<Case>{
           {".inf", ScalarError::kNotFinite},
           {"-.INF", ScalarError::kNotFinite},
           {".nan", ScalarError::kNotFinite},
           {"9007199254740992", ScalarError::kTooLarge},
           {"-9007199254740993", ScalarError::kTooLarge},
           {"18446744073709551615", ScalarError::kTooLarge},
           {"4225332178759948e043", ScalarError::kTooLarge},
           {"0x20000000000000", ScalarError::kTooLarge},
           {"0o400000000000000000", ScalarError::kTooLarge},
           {"1e400", ScalarError::kOverflow},
           {"1e-400", ScalarError::kUnderflow},
       }) {
    SCOPED_TRACE(text);
    EXPECT_EQ(resolve_plain(text).error, error);
  }
}

}  // namespace
}  // namespace ki::yaml
