// CRC-32C (Castagnoli, RFC 3720 appendix B.4) with the processor's instruction where it has one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ki::catalog {

std::uint32_t crc32c(std::span<const std::byte> bytes);

// The checksum of many bytes, a block at a time: a CRC-32C over the CRC-32Cs of each block's four
// quarters, which are computed at once (one chain of the instruction alone waits on itself). All
// blocks but the last have kBlock bytes.
class BlockChecksum {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 20;

  void add(std::span<const std::byte> block);
  std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 0;
};

// The checksum of bytes that are all there.
std::uint32_t block_checksum(std::span<const std::byte> bytes);

}  // namespace ki::catalog
