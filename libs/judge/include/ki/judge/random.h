// Counter-based random numbers: Philox4x32-10 (Salmon et al., SC 2011), and uniform and normal
// numbers from it by arithmetic of our own, so that one key gives the same bits on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ki::judge {

// The sequence of a key: element i is word i mod 4 of block i / 4.
class Stream {
 public:
  explicit Stream(std::uint64_t key) : key_(key) {}

  // Words first, first+1, ...; `first` must be a multiple of 4.
  void words(std::uint64_t first, std::span<std::uint32_t> out) const;
  // (word + 1/2) / 2^32: never 0 or 1.
  void uniform(std::uint64_t first, std::span<double> out) const;
  // Standard normal: words 2j and 2j+1 make elements 2j and 2j+1 by Box-Muller.
  void normal(std::uint64_t first, std::span<double> out) const;

  std::uint64_t key() const { return key_; }

 private:
  std::uint64_t key_;
};

// A permutation of 0 .. 2^bits - 1 under a key (bits even, 2 to 30): where the index goes.
std::uint32_t permute(std::uint64_t key, int bits, std::uint32_t index);

}  // namespace ki::judge
