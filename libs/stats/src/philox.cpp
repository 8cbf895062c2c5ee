#include "ki/stats/philox.h"

#include "ki/base/check.h"
#include "ki/stats/special.h"

namespace ki::stats {
namespace {

constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;

constexpr std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
constexpr std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

// High 64 bits of a 128-bit product.
std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = low(a), a1 = high(a), b0 = low(b), b1 = high(b);
  const std::uint64_t middle = a1 * b0 + high(a0 * b0);
  return a1 * b1 + high(middle) + high(a0 * b1 + low(middle));
}

}  // namespace

PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {high(product1) ^ counter[1] ^ key[0], low(product1),
               high(product0) ^ counter[3] ^ key[1], low(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

Random::Random(std::uint64_t seed, std::uint64_t stream)
    : key_{low(seed), high(seed)}, stream_(stream) {}

std::uint64_t Random::next() {
  if (left_ == 0) {
    const auto words =
        philox4x32_10({low(position_), high(position_), low(stream_), high(stream_)}, key_);
    block_ = {words[0] | (std::uint64_t{words[1]} << 32),
              words[2] | (std::uint64_t{words[3]} << 32)};
    ++position_;
    left_ = 2;
  }
  return block_[2 - left_--];
}

double Random::uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }

double Random::normal() { return normal_quantile(uniform()); }

std::size_t Random::below(std::size_t bound) {
  KI_CHECK(bound > 0);
  return multiply_high(next(), bound);
}

}  // namespace ki::stats
