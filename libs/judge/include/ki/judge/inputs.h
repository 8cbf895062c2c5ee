// Inputs of a call, from a key: what upstream's generator draws for each name (harness 02), by
// counter-based random numbers, so that whoever learns the run's key can draw them again.
#pragma once

#include "ki/digest/digest.h"
#include "ki/judge/convert.h"
#include "ki/problem/definition.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::judge {

// The secret of a run: committed to before the build, revealed with the evidence.
class RunKey {
 public:
  explicit RunKey(std::array<std::uint8_t, 32> bytes) : bytes_(bytes) {}
  // The key of `--seed N`, which everyone can make: for development, never for a verified run.
  static RunKey of_seed(std::uint64_t seed);
  // The inverse of hex().
  static Result<RunKey> parse(std::string_view hex);

  Digest commitment() const;  // SHA-256 of the key
  std::string hex() const;    // the key itself: what is revealed
  std::string_view view() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::array<std::uint8_t, 32> bytes_;
};

enum class Phase : std::uint8_t { kPublic, kHidden, kWarmup, kTimed, kRecheck };
std::string_view to_string(Phase phase);  // "public", ...

// The key of one input of one call: HMAC-SHA-256 of "ki1", workload, phase, round and name, each
// ended by a NUL, under the run's key; its first eight bytes, little end first.
std::uint64_t stream_key(const RunKey& run, std::string_view workload, Phase phase,
                         std::uint64_t round, std::string_view name);

// What is drawn, decided by type, name and description (harness 02 section 2; the first that fits).
enum class Distribution : std::uint8_t {
  kDefault,  // N(0,1); fp8 clamped to +-2; int8 all, other integers -1024..1023; bool even odds
  kOnes,
  kZeros,
  kCausalMask,  // 0 on and below the diagonal, the lowest finite number above
  kBinaryMask,  // 0 or 1
  kCos,         // of N(0,1) clamped to +-pi
  kSin,
  kPositive,  // |N(0,1)| + 0.1
  kDecaySum,  // running sum over the last dimension of U(-0.1, 0)
  kLogDecay,  // U(-5, -1)
  kDecay,     // U(-1, -0.001)
  kGate,      // U(-5, 0)
  kSoftmax,   // softmax over the last dimension of N(0,1)
  kWeight,    // N(0,1) / sqrt(last dimension)
};
Distribution distribution_of(const problem::Argument& argument,
                             const problem::ResolvedArgument& resolved, std::string_view op_type);

// Variants of the numbers of hidden rounds; they touch symmetric distributions alone.
enum class Family : std::uint8_t {
  kBase,
  kLarge,         // times 8
  kSmall,         // divided by 8
  kSparse,        // one element in 32, the others 0
  kConstantRows,  // each row its first element
  kAllEqual,      // all the first element
  kLastTile,      // as round 0 of the phase, but for the last 64 elements
};
inline constexpr std::array<Family, 7> kFamilies = {
    Family::kBase,         Family::kLarge,    Family::kSmall,   Family::kSparse,
    Family::kConstantRows, Family::kAllEqual, Family::kLastTile};
std::string_view to_string(Family family);
bool is_symmetric(Distribution distribution);  // default or weight

// Writes the stored elements of a tensor of at most kPooledBytes, or of any size at a cost of some
// 30 ns an element. `base_key` is the key of round 0 for kLastTile.
void fill_input(const problem::ResolvedArgument& argument, Distribution distribution, Family family,
                std::uint64_t key, std::uint64_t base_key, std::span<std::byte> out);
// A scalar argument as the C ABI passes it (f64, i64 or bool).
void fill_scalar(Dtype dtype, std::uint64_t key, std::span<std::byte> out);

// Tensors above this size are gathered from a pool (harness 14 section 3, which says 8 MiB;
// docs/decisions/0006-pooled-inputs.md says why ours begin earlier).
inline constexpr std::int64_t kPooledBytes = std::int64_t{1} << 20;

// 16 MiB of one distribution; each call's tensor is blocks of 4 KiB of it in a keyed order, whole
// blocks of symmetric distributions with flipped signs (complemented, for integers). Memory speed;
// the same key gives the same bits.
class Pool {
 public:
  static constexpr std::size_t kBlockBytes = 4096;
  static constexpr int kBlockBits = 12;

  Pool(const problem::ResolvedArgument& argument, Distribution distribution, std::uint64_t key);
  void gather(std::uint64_t key, std::span<std::byte> out) const;
  // Distributions that are not the same everywhere in a tensor cannot be pooled.
  static bool can_hold(Distribution distribution);

 private:
  std::vector<std::byte> bytes_;
  Dtype dtype_;
  bool flips_;
};

}  // namespace ki::judge
