#include "ki/digest/digest.h"

#include "ki/digest/sha256.h"

#include <gtest/gtest.h>

namespace ki {
namespace {

TEST(Sha256, EqualsThePublishedExamples) {
  // FIPS 180-4 examples.
  EXPECT_EQ(Digest::of("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Digest::of("").hex(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, GivesOneDigestHoweverTheBytesArrive) {
  const std::string bytes(100'000, 'x');
  Sha256 hasher;
  for (std::size_t at = 0; at < bytes.size(); at += 777)
    hasher.update(std::string_view(bytes).substr(at, 777));
  EXPECT_EQ(hasher.finish(), Digest::of(bytes));
  EXPECT_EQ(hasher.finish(), Digest::of("")) << "it starts afresh";
}

TEST(Digest, HasOneSpelling) {
  const std::string text =
      "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(Digest::parse(text)->to_string(), text);
  struct Case {
    const char* why;
    std::string text;
  };
  for (const auto& [why, other] :
       {Case{"no prefix", text.substr(7)}, Case{"upper case", "sha256:BA" + text.substr(9)},
        Case{"short", text.substr(0, 70)}, Case{"long", text + "0"},
        Case{"other algorithm", "sha512:" + text.substr(7)}, Case{"space", " " + text}}) {
    SCOPED_TRACE(why);
    const auto digest = Digest::parse(other);
    ASSERT_FALSE(digest);
    EXPECT_EQ(digest.error().code(), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace ki
