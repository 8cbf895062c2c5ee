#include "ki/io/file.h"
#include "ki/io/lines.h"
#include "ki/io/mapped_file.h"
#include "ki/io/zstd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ki::io {
namespace {

class Io : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("ki-io-" + std::to_string(::getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  auto reader = LineReader::open(path).value();
  for (;;) {
    const auto line = reader.next();
    if (!line) return {"error: " + line.error().to_string()};
    if (!*line) return lines;
    lines.emplace_back(**line);
  }
}

TEST_F(Io, LinesAreTheSamePlainAndCompressed) {
  std::vector<std::string> expected;
  std::string text;
  for (int i = 0; i < 2'000; ++i) {
    expected.push_back(std::string(static_cast<std::size_t>(i * 7 % 900), 'x') + std::to_string(i));
    text += expected.back() + "\n";
  }
  ASSERT_TRUE(write_file_atomically(folder_ / "plain.jsonl", text));
  EXPECT_EQ(lines_of(folder_ / "plain.jsonl"), expected);
  auto writer = ZstdWriter::create(folder_ / "lines.zst", 3).value();
  for (std::size_t at = 0; at < text.size(); at += 10'000)
    ASSERT_TRUE(writer.write(std::string_view(text).substr(at, 10'000)));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "lines.zst")) << "nothing is seen before finish()";
  ASSERT_TRUE(writer.finish());
  EXPECT_EQ(lines_of(folder_ / "lines.zst"), expected);
}

TEST_F(Io, ACutOrAlteredFrameIsRefused) {
  const std::string frame =
      zstd_compress(std::string(500'000, 'a') + std::string(500'000, 'b') + "end\n", 3).value();
  auto writer = ZstdWriter::create(folder_ / "whole.zst", 3).value();
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  ASSERT_TRUE(writer.write(text));
  ASSERT_TRUE(writer.finish());
  const std::string bytes = read_file(folder_ / "whole.zst").value();
  for (const std::size_t cut : {bytes.size() - 1, bytes.size() / 2, std::size_t{20}}) {
    ASSERT_TRUE(write_file_atomically(folder_ / "cut.zst", std::string_view(bytes).substr(0, cut)));
    EXPECT_THAT(lines_of(folder_ / "cut.zst").back(), testing::StartsWith("error")) << cut;
  }
  std::string altered = bytes;
  altered[bytes.size() / 2] = static_cast<char>(altered[bytes.size() / 2] ^ 1);
  ASSERT_TRUE(write_file_atomically(folder_ / "altered.zst", altered));
  EXPECT_THAT(lines_of(folder_ / "altered.zst").back(), testing::StartsWith("error"));
  EXPECT_FALSE(zstd_decompress(frame, 1000)) << "larger than allowed";
  EXPECT_EQ(zstd_decompress(frame, 2'000'000)->size(), 1'000'004u);
}

TEST_F(Io, SaysWhenTheLastLineHasNoLineFeed) {
  ASSERT_TRUE(write_file_atomically(folder_ / "a", "one\ntwo"));
  auto reader = LineReader::open(folder_ / "a").value();
  EXPECT_EQ(**reader.next(), "one");
  EXPECT_EQ(**reader.next(), "two");
  EXPECT_FALSE(reader.next()->has_value());
  EXPECT_FALSE(reader.ended_with_newline());
  EXPECT_EQ(reader.line_number(), 2u);
}

TEST_F(Io, MissingFilesAreNamed) {
  const auto bytes = read_file(folder_ / "nothing-here");
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code(), Code::kNotFound);
  EXPECT_THAT(bytes.error().message(), testing::HasSubstr("nothing-here"));
}

TEST_F(Io, AMapShowsTheFile) {
  ASSERT_TRUE(write_file_atomically(folder_ / "m", "mapped bytes"));
  const auto map = MappedFile::open(folder_ / "m").value();
  map.load_pages(0, 6);
  map.release_pages(0, map.bytes().size());
  map.load_pages(6, 1000);
  map.release_pages(5000, 1);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(map.bytes().data()), map.bytes().size()),
            "mapped bytes");
}

}  // namespace
}  // namespace ki::io
