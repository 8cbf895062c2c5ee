// Content coding: which one a client prefers (RFC 9110 section 12.5.3), and compressing with it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ki::http {

enum class Encoding : std::uint8_t { kIdentity, kGzip, kZstd };
inline constexpr std::array<Encoding, 3> kEncodings = {Encoding::kIdentity, Encoding::kGzip,
                                                       Encoding::kZstd};

// "gzip", "zstd", "identity".
std::string_view to_string(Encoding encoding);

// The coding with the highest q-value; of equals zstd, then gzip, then identity. No header, or
// nothing that this server has: identity.
Encoding preferred_encoding(std::string_view accept_encoding);

// Text types, JSON, XML, SVG and script; not what is compressed already.
bool is_compressible(std::string_view content_type);

enum class Effort : std::uint8_t {
  kOnce,  // for one answer
  kKept,  // for an answer that is kept and sent many times
};

// The bytes in that coding (RFC 1952, RFC 8878); kIdentity returns them unchanged.
std::string compress(std::string_view bytes, Encoding encoding, Effort effort);

}  // namespace ki::http
