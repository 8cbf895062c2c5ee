#include "encoding.h"

#include "conditional.h"
#include "ki/io/zstd.h"

#include <gtest/gtest.h>
#include <libdeflate.h>

namespace ki::http {
namespace {

TEST(Encoding, FollowsQualityValues) {
  struct Case {
    const char* why;
    std::string_view field;
    Encoding encoding;
  };
  for (const auto& [why, field, encoding] : std::initializer_list<Case>{
           {"no field", "", Encoding::kIdentity},
           {"a browser", "gzip, deflate, br, zstd", Encoding::kZstd},
           {"an older browser", "gzip, deflate, br", Encoding::kGzip},
           {"an older name", "x-gzip", Encoding::kGzip},
           {"letters of either case", "GZip;Q=0.5", Encoding::kGzip},
           {"equal weights: ours decides", "gzip;q=0.5, zstd;q=0.5", Encoding::kZstd},
           {"the client's order of weights", "zstd;q=0.4, gzip;q=0.8", Encoding::kGzip},
           {"refused", "gzip;q=0", Encoding::kIdentity},
           {"one refused", "zstd;q=0, gzip", Encoding::kGzip},
           {"anything", "*", Encoding::kZstd},
           {"anything but one", "*, zstd;q=0", Encoding::kGzip},
           {"identity wanted more", "gzip;q=0.2, identity", Encoding::kIdentity},
           {"identity wanted less", "gzip;q=0.5, identity;q=0.4", Encoding::kGzip},
           {"only what is not here", "br, deflate", Encoding::kIdentity},
           {"nothing acceptable: sent as it is", "identity;q=0", Encoding::kIdentity},
           {"white space", " gzip ; q = 1.000 ", Encoding::kGzip},
           {"a weight that is none", "gzip;q=2", Encoding::kIdentity},
           {"a weight with four decimals", "gzip;q=0.1234", Encoding::kIdentity},
           {"another parameter", "gzip;level=9", Encoding::kIdentity},
           {"empty items", ",,gzip,,", Encoding::kGzip},
       }) {
    SCOPED_TRACE(why);
    EXPECT_EQ(to_string(preferred_encoding(field)), to_string(encoding));
  }
}

TEST(Encoding, CompressesWithoutLoss) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "row " + std::to_string(i * i) + ",";
  for (const Effort effort : {Effort::kOnce, Effort::kKept}) {
    const std::string zstd = compress(text, Encoding::kZstd, effort);
    EXPECT_LT(zstd.size(), text.size() / 2);
    EXPECT_EQ(io::zstd_decompress(zstd, text.size()).value(), text);

    const std::string gzip = compress(text, Encoding::kGzip, effort);
    EXPECT_LT(gzip.size(), text.size() / 2);
    std::string back(text.size(), '\0');
    auto* decompressor = libdeflate_alloc_decompressor();
    std::size_t size = 0;
    EXPECT_EQ(libdeflate_gzip_decompress(decompressor, gzip.data(), gzip.size(), back.data(),
                                         back.size(), &size),
              LIBDEFLATE_SUCCESS);
    libdeflate_free_decompressor(decompressor);
    EXPECT_EQ(size, text.size());
    EXPECT_EQ(back, text);
  }
  EXPECT_EQ(compress(text, Encoding::kIdentity, Effort::kKept), text);
}

TEST(Encoding, KnowsWhatIsCompressedAlready) {
  for (const std::string_view type :
       {"text/html; charset=utf-8", "application/json", "application/problem+json", "image/svg+xml",
        "application/atom+xml", "text/css"})
    EXPECT_TRUE(is_compressible(type)) << type;
  for (const std::string_view type : {"", "image/png", "application/zstd", "font/woff2"})
    EXPECT_FALSE(is_compressible(type)) << type;
}

TEST(IfNoneMatch, ComparesWeaklyThroughLists) {
  struct Case {
    const char* why;
    std::string_view field;
    bool matches;
  };
  for (const auto& [why, field, matches] : std::initializer_list<Case>{
           {"the tag", R"("a-gzip")", true},
           {"weak", R"(W/"a-gzip")", true},
           {"anything", "*", true},
           {"anything, with space", " * ", true},
           {"last of a list", R"("x", W/"y" ,"a-gzip")", true},
           {"a comma inside a tag", R"("x,y","a-gzip")", true},
           {"the tag hidden in another", R"("x,"a-gzip"")", false},
           {"another", R"("a")", false},
           {"without quotes", "a-gzip", false},
           {"not closed", R"("a-gzip)", false},
           {"weak in lower case is no tag", R"(w/"a-gzip")", false},
           {"nothing", "", false},
           {"a star in a list is no tag", R"("x", *)", false},
           {"junk behind", R"("a-gzip" x)", false},
       }) {
    SCOPED_TRACE(why);
    EXPECT_EQ(none_match_names(field, R"("a-gzip")"), matches);
  }
}

}  // namespace
}  // namespace ki::http
