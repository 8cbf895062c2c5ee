#include "../src/crc32c.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace ki::catalog {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::vector<std::byte> random_bytes(std::size_t size) {
  std::mt19937_64 random(5);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(Crc32c, GivesTheValuesOfRfc3720) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32c(bytes_of(std::string(32, '\0'))), 0x8A9136AAU);
  EXPECT_EQ(crc32c(bytes_of(std::string(32, '\xFF'))), 0x62A8AB43U);
  EXPECT_EQ(crc32c({}), 0U);
}

TEST(BlockChecksum, ChangesWithEveryBit) {
  for (const std::size_t size : {1U, 7U, 8U, 31U, 32U, 33U, 100U}) {
    std::vector<std::byte> bytes = random_bytes(size);
    const std::uint32_t whole = block_checksum(bytes);
    for (std::size_t bit = 0; bit < 8 * size; ++bit) {
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
      EXPECT_NE(block_checksum(bytes), whole) << size << " bytes, bit " << bit;
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    }
  }
}

TEST(BlockChecksum, ChangesWithTheOrderOfQuartersAndBlocks) {
  constexpr std::size_t kBlock = BlockChecksum::kBlock;
  std::vector<std::byte> bytes = random_bytes(2 * kBlock + 100);
  const std::uint32_t whole = block_checksum(bytes);
  const auto swapped = [&](std::size_t a, std::size_t b, std::size_t size) {
    std::vector<std::byte> other = bytes;
    std::swap_ranges(other.begin() + static_cast<std::ptrdiff_t>(a),
                     other.begin() + static_cast<std::ptrdiff_t>(a + size),
                     other.begin() + static_cast<std::ptrdiff_t>(b));
    return block_checksum(other);
  };
  EXPECT_NE(swapped(0, kBlock / 4, kBlock / 4), whole);
  EXPECT_NE(swapped(0, kBlock, kBlock), whole);
  BlockChecksum parts;
  parts.add(std::span(bytes).subspan(0, kBlock));
  parts.add(std::span(bytes).subspan(kBlock, kBlock));
  parts.add(std::span(bytes).subspan(2 * kBlock));
  EXPECT_EQ(parts.value(), whole);
}

}  // namespace
}  // namespace ki::catalog
