// The key of the tests and small helpers.
#pragma once

#include "ki/sign/ed25519.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ki::sign {

inline std::string from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  }
  return bytes;
}

// Seed 00, 01, ... 1f, each byte moved by `shift`.
inline PrivateKey test_key(int shift = 0) {
  std::string seed;
  for (int i = 0; i < 32; ++i) seed += static_cast<char>(i + shift);
  return *PrivateKey::from_seed(seed);
}

}  // namespace ki::sign
