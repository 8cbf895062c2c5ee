#include "ki/base/instant.h"

#include <gtest/gtest.h>

namespace ki {
namespace {

TEST(Instant, PrintsAndParsesItsCanonicalSpelling) {
  for (const char* text :
       {"1970-01-01T00:00:00.000Z", "2026-08-15T02:02:57.440Z", "2024-02-29T23:59:59.999Z",
        "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"}) {
    const auto parsed = parse_instant(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_TRUE(parsed->is_canonical) << text;
    EXPECT_EQ(parsed->instant.to_string(), text);
  }
}

TEST(Instant, ReadsOtherSpellingsButSaysSo) {
  for (const char* text : {"2026-08-15T02:02Z", "2026-08-15T02:02:00Z", "2026-08-15T02:02:00.0Z",
                           "2026-08-15T02:02:00.0009Z"}) {
    const auto parsed = parse_instant(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_FALSE(parsed->is_canonical) << text;
    EXPECT_EQ(parsed->instant.to_string(), "2026-08-15T02:02:00.000Z") << text;
  }
}

TEST(Instant, RefusesWhatIsNotARealUtcTime) {
  struct Case {
    const char* why;
    const char* text;
  };
  for (const auto& [why, text] :
       {Case{"leap second", "2016-12-31T23:59:60Z"}, Case{"minute 60", "2026-01-01T12:60:00Z"},
        Case{"hour 24", "2026-01-01T24:00:00Z"}, Case{"no such day", "2026-02-29T00:00:00Z"},
        Case{"month 0", "2026-00-01T00:00:00Z"}, Case{"offset", "2026-01-01T00:00:00+00:00"},
        Case{"lower case", "2026-01-01t00:00:00z"}, Case{"empty fraction", "2026-01-01T00:00:00.Z"},
        Case{"date alone", "2026-01-01"}, Case{"trailing text", "2026-01-01T00:00:00Z "},
        Case{"year 10000", "10000-01-01T00:00:00Z"}, Case{"empty", ""}}) {
    EXPECT_FALSE(parse_instant(text)) << why;
  }
}

}  // namespace
}  // namespace ki
