// CRC-32C (Castagnoli, RFC 3720 appendix B.4) with the processor's instruction where it has one.
#pragma once

#include <cstdint>
#include <span>

namespace ki::catalog {
std::uint32_t crc32c(std::span<const std::byte> bytes);
}  // namespace ki::catalog
