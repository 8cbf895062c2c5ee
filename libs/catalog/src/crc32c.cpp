#include "crc32c.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace ki::catalog {
namespace {

constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78U : 0U);
    table[i] = crc;
  }
  return table;
}();

std::uint32_t by_table(std::uint32_t crc, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes)
    crc = kTable[(crc ^ static_cast<std::uint32_t>(byte)) & 0xFF] ^ (crc >> 8);
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::uint32_t crc,
                                                               std::span<const std::byte> bytes) {
  std::uint64_t wide = crc;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (; at < bytes.size(); ++at)
    narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(bytes[at]));
  return narrow;
}
// Four chains side by side, one a quarter; `quarter` is a multiple of eight.
__attribute__((target("sse4.2"))) std::array<std::uint32_t, 4> quarters_by_instruction(
    std::span<const std::byte> bytes, std::size_t quarter) {
  std::array<std::uint64_t, 4> wide{~0U, ~0U, ~0U, ~0U};
  const std::byte* const begin = bytes.data();
  for (std::size_t at = 0; at < quarter; at += 8) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      std::uint64_t word;
      std::memcpy(&word, begin + lane * quarter + at, 8);
      wide[lane] = _mm_crc32_u64(wide[lane], word);
    }
  }
  std::array<std::uint32_t, 4> narrow{};
  for (std::size_t lane = 0; lane < 4; ++lane)
    narrow[lane] = ~static_cast<std::uint32_t>(wide[lane]);
  return narrow;
}
#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return ~by_instruction(~0U, bytes);
#endif
  return ~by_table(~0U, bytes);
}

void BlockChecksum::add(std::span<const std::byte> block) {
  // The CRCs of the quarters and of what is left over, then what came before.
  const std::size_t quarter = block.size() / 4 / 8 * 8;
  std::array<std::uint32_t, 6> parts{};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) {
    std::ranges::copy(quarters_by_instruction(block, quarter), parts.begin());
  } else
#endif
  {
    for (std::size_t lane = 0; lane < 4; ++lane)
      parts[lane] = crc32c(block.subspan(lane * quarter, quarter));
  }
  parts[4] = crc32c(block.subspan(4 * quarter));
  parts[5] = value_;
  value_ = crc32c(std::as_bytes(std::span(parts)));
}

std::uint32_t block_checksum(std::span<const std::byte> bytes) {
  BlockChecksum checksum;
  for (std::size_t at = 0; at < bytes.size(); at += BlockChecksum::kBlock)
    checksum.add(bytes.subspan(at, std::min(BlockChecksum::kBlock, bytes.size() - at)));
  return checksum.value();
}

}  // namespace ki::catalog
