// What outputs hold before a call: a pattern that no correct kernel writes. Floating types get
// signalling NaNs with random payload and sign, types without such get random bytes. The pattern is
// a function of a key and the position, so that nothing of it need be kept to find it again.
#pragma once

#include "ki/judge/convert.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ki::judge {

void fill_poison(Dtype dtype, std::uint64_t key, std::span<std::byte> out);

// The poison of stored elements first, first + 1, ...
void poison_of(Dtype dtype, std::uint64_t key, std::uint64_t first, std::span<std::byte> out);

}  // namespace ki::judge
