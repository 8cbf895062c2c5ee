#include "ki/serve/rasterizer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>
#include <vector>

namespace ki::serve {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::string_view kSvg =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 30 20\" width=\"30\" "
    "height=\"20\"><rect width=\"30\" height=\"20\" fill=\"#0c0e12\"/></svg>\n";

class RasterizerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("ki-png-{}-{}", ::getpid(),
                          ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A program in place of rsvg-convert.
  std::filesystem::path script(const std::string& lines) const {
    const auto path = folder_ / "convert";
    std::ofstream(path) << "#!/bin/sh\n" << lines << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  std::filesystem::path folder_;
};

constexpr const char* kEcho = R"(printf '\211PNG\r\n\032\n'; cat)";

TEST_F(RasterizerTest, MakesThePictureWithLibrsvg) {
  Rasterizer rasterizer;
  if (!rasterizer.is_available()) GTEST_SKIP() << "skipped: rsvg-convert is not installed";
  const auto picture = rasterizer.png(kSvg);
  ASSERT_TRUE(picture) << picture.error().detail;
  const std::string& bytes = **picture;
  ASSERT_GT(bytes.size(), 24U);
  EXPECT_EQ(bytes.substr(12, 4), "IHDR");
  EXPECT_EQ(static_cast<unsigned char>(bytes[19]), 30) << "its width";
  EXPECT_EQ(static_cast<unsigned char>(bytes[23]), 20) << "its height";
  EXPECT_EQ(rasterizer.png("<svg").error().code, "PICTURE_FAILED");
}

TEST_F(RasterizerTest, SaysWhatToInstall) {
  Rasterizer rasterizer(folder_ / "nothing");
  EXPECT_FALSE(rasterizer.is_available());
  const auto picture = rasterizer.png(kSvg);
  ASSERT_FALSE(picture);
  EXPECT_EQ(picture.error().status, 501);
  EXPECT_EQ(picture.error().code, "PNG_NOT_AVAILABLE");
  EXPECT_THAT(picture.error().detail, HasSubstr("apt-get install librsvg2-bin"));
}

TEST_F(RasterizerTest, KeepsPicturesByContent) {
  Rasterizer rasterizer(script(kEcho));
  const auto first = rasterizer.png("one");
  const auto again = rasterizer.png("one");
  ASSERT_TRUE(first && again);
  EXPECT_EQ(*first, *again);
  EXPECT_EQ(rasterizer.processes(), 1U);
  ASSERT_TRUE(rasterizer.png("two"));
  EXPECT_EQ(rasterizer.processes(), 2U);
}

TEST_F(RasterizerTest, ForgetsThePictureThatWasUsedLongestAgo) {
  Rasterizer rasterizer(script(kEcho), {.cache_bytes = 30});
  for (const char* svg : {"aaaaa", "bbbbb", "aaaaa", "ccccc", "aaaaa"}) {
    ASSERT_TRUE(rasterizer.png(svg)) << svg;
  }
  EXPECT_EQ(rasterizer.processes(), 3U);
  ASSERT_TRUE(rasterizer.png("bbbbb"));
  EXPECT_EQ(rasterizer.processes(), 4U);
}

TEST_F(RasterizerTest, EndsWhatTakesTooLong) {
  Rasterizer rasterizer(script("exec sleep 60"), {.time = 200ms});
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(rasterizer.png(kSvg).error().code, "PICTURE_FAILED");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);
}

TEST_F(RasterizerTest, RefusesWhatIsNoPictureOrTooLarge) {
  Rasterizer rasterizer(script("echo hello"));
  EXPECT_EQ(rasterizer.png(kSvg).error().code, "PICTURE_FAILED");
  EXPECT_EQ(rasterizer.png(std::string(2U << 20, 'x')).error().code, "PICTURE_FAILED");
  Rasterizer endless(script(std::string(kEcho) + "; exec cat /dev/zero"), {.output_bytes = 4096});
  EXPECT_EQ(endless.png(kSvg).error().code, "PICTURE_FAILED");
}

TEST_F(RasterizerTest, MakesOnlySoManyAtOnce) {
  Rasterizer rasterizer(script("exec sleep 60"), {.time = 3s, .concurrent = 1, .wait = 10ms});
  std::thread first([&] { (void)rasterizer.png("first"); });
  while (rasterizer.processes() == 0) std::this_thread::sleep_for(1ms);
  const auto second = rasterizer.png("second");
  first.join();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().status, 503);
  EXPECT_EQ(second.error().retry_after_seconds, 2U);
}

}  // namespace
}  // namespace ki::serve
