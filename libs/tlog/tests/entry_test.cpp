#include "ki/tlog/entry.h"

#include <gtest/gtest.h>

namespace ki::tlog {
namespace {

const Digest kA = Digest::of("a");
const Digest kB = Digest::of("b");

TEST(Entries, HaveOneSpelling) {
  const Entry entry{
      .type = EntryType::kRun, .digest = kA, .parents = {kA, kB}, .at = Instant{1'788'000'000'123}};
  const std::string text = to_text(entry);
  EXPECT_EQ(text, R"({"at":"2026-08-29T10:40:00Z","digest":")" + kA.to_string() +
                      R"(","parents":[")" + kB.to_string() + R"(",")" + kA.to_string() +
                      R"("],"type":"run","v":1})");
  const auto read = read_entry(text);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(to_text(*read), text);
  EXPECT_EQ(read->at.ms, 1'788'000'000'000) << "whole seconds";
}

TEST(Entries, EveryTypeReadsBack) {
  for (int i = 0; i <= static_cast<int>(EntryType::kAuditHead); ++i) {
    const Entry entry{.type = static_cast<EntryType>(i), .digest = kA, .parents = {}, .at = {}};
    EXPECT_EQ(*read_entry(to_text(entry)), entry) << to_string(entry.type);
  }
}

TEST(Entries, RefuseEveryOtherText) {
  const std::string good =
      to_text({.type = EntryType::kRun, .digest = kA, .parents = {}, .at = {}});
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  struct Case {
    const char* why;
    std::string text;
  };
  for (const auto& [why, text] :
       {Case{"a space", with(":", ": ")}, Case{"another version", with(R"("v":1)", R"("v":2)")},
        Case{"no version", with(R"(,"v":1)", "")},
        Case{"a further member", with(R"("v":1)", R"("v":1,"w":1)")},
        Case{"an unknown type", with("run", "ran")}, Case{"milliseconds", with("00Z", "00.000Z")},
        Case{"an upper-case digest", with("sha256", "SHA256")}, Case{"no object", "[]"},
        Case{"nothing", ""}}) {
    EXPECT_FALSE(read_entry(text)) << why;
  }
}

}  // namespace
}  // namespace ki::tlog
