#include "ki/digest/hmac.h"

#include "ki/digest/sha256.h"

#include <array>
#include <cstdint>

namespace ki {

Digest hmac_sha256(std::string_view key, std::string_view bytes) {
  constexpr std::size_t kBlock = 64;
  std::array<char, kBlock> inner{};
  std::array<char, kBlock> outer{};
  const auto fill = [&](std::string_view text) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      const char c = i < text.size() ? text[i] : '\0';
      inner[i] = static_cast<char>(c ^ 0x36);
      outer[i] = static_cast<char>(c ^ 0x5C);
    }
  };
  if (key.size() > kBlock) {
    fill(Digest::of(key).view());
  } else {
    fill(key);
  }
  thread_local Sha256 hasher;
  hasher.update({inner.data(), kBlock});
  hasher.update(bytes);
  const Digest first = hasher.finish();
  hasher.update({outer.data(), kBlock});
  hasher.update(first.view());
  return hasher.finish();
}

bool equals_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<std::uint8_t>(a[i] ^ b[i]));
  }
  return difference == 0;
}

}  // namespace ki
