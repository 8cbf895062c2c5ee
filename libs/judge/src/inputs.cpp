#include "ki/judge/inputs.h"

#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/digest/hmac.h"
#include "ki/judge/random.h"
#include "ki/stats/philox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ki::judge {
namespace {

using problem::Argument;
using problem::ResolvedArgument;

constexpr double kPi = 3.14159265358979323846;

std::string_view without_digits(std::string_view name) {
  while (!name.empty() && is_ascii_digit(name.back())) name.remove_suffix(1);
  return name;
}

template <class... Words>
bool is_one_of(std::string_view name, Words... words) {
  return ((name == words) || ...);
}
template <class... Words>
bool ends_with_one_of(std::string_view name, Words... words) {
  return (name.ends_with(words) || ...);
}
template <class... Words>
bool contains_one_of(std::string_view text, Words... words) {
  return ((text.find(words) != text.npos) || ...);
}

// `P_weight` or `P_bias` where P without trailing digits ends in `norm`.
bool is_norm(std::string_view name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  return without_digits(name.substr(0, name.size() - suffix.size())).ends_with("norm");
}

double lowest(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return std::numeric_limits<double>::lowest();
    case Dtype::kF16:
      return -65504;
    case Dtype::kBf16:
      return -0x1.fep127;
    default:
      return std::numeric_limits<float>::lowest();
  }
}

std::int64_t last_dimension(const ResolvedArgument& a) {
  return a.shape.empty() ? 1 : std::max<std::int64_t>(a.shape.back(), 1);
}

// Numbers first, first + 1, ... of a distribution whose elements are independent of one another.
void draw(const Stream& stream, Distribution distribution, const ResolvedArgument& a,
          std::uint64_t first, std::span<double> out) {
  const auto uniform = [&](double low, double high) {
    stream.uniform(first, out);
    for (double& x : out) x = low + (high - low) * x;
  };
  switch (distribution) {
    case Distribution::kOnes:
      std::ranges::fill(out, 1);
      return;
    case Distribution::kZeros:
      std::ranges::fill(out, 0);
      return;
    case Distribution::kBinaryMask:
      stream.uniform(first, out);
      for (double& x : out) x = x < 0.5 ? 0 : 1;
      return;
    case Distribution::kCos:
    case Distribution::kSin:
      stream.normal(first, out);
      for (double& x : out) {
        x = std::clamp(x, -kPi, kPi);
        // The C library's functions differ between machines in the last bit of a double, which
        // the narrower types that this is used with do not see; a double input keeps 40 bits.
        x = distribution == Distribution::kCos ? std::cos(x) : std::sin(x);
        x = std::nearbyint(x * 0x1p40) * 0x1p-40;
      }
      return;
    case Distribution::kPositive:
      stream.normal(first, out);
      for (double& x : out) x = std::abs(x) + 0.1;
      return;
    case Distribution::kLogDecay:
      return uniform(-5, -1);
    case Distribution::kDecay:
      return uniform(-1, -0.001);
    case Distribution::kGate:
      return uniform(-5, 0);
    case Distribution::kDecaySum:
      return uniform(-0.1, 0);
    case Distribution::kWeight: {
      stream.normal(first, out);
      const double scale = 1 / std::sqrt(static_cast<double>(last_dimension(a)));
      for (double& x : out) x *= scale;
      return;
    }
    case Distribution::kSoftmax:
    case Distribution::kCausalMask:
    case Distribution::kDefault:
      break;
  }
  if (problem::is_float(a.dtype)) {
    stream.normal(first, out);
    if (a.dtype == Dtype::kF8E4m3fn || a.dtype == Dtype::kF8E5m2) {
      for (double& x : out) x = std::clamp(x, -2.0, 2.0);
    }
    return;
  }
  stream.uniform(first, out);
  const double low = a.dtype == Dtype::kI8 ? -128 : a.dtype == Dtype::kBool ? 0 : -1024;
  const double count = a.dtype == Dtype::kI8 ? 256 : a.dtype == Dtype::kBool ? 2 : 2048;
  for (double& x : out) x = low + std::floor(x * count);
}

// What one row becomes in distributions that look at whole rows.
void finish_row(Distribution distribution, std::span<double> row) {
  if (distribution == Distribution::kDecaySum) {
    double sum = 0;
    for (double& x : row) x = sum += x;
  } else if (distribution == Distribution::kSoftmax) {
    const double largest = *std::ranges::max_element(row);
    double sum = 0;
    for (double& x : row) sum += x = std::exp(x - largest);
    // Rounded for the reason given at kCos.
    for (double& x : row) x = std::nearbyint(x / sum * 0x1p40) * 0x1p-40;
  }
}

bool needs_rows(Distribution distribution) {
  return distribution == Distribution::kDecaySum || distribution == Distribution::kSoftmax;
}

void apply(Family family, const ResolvedArgument& a, std::uint64_t first, double first_element,
           std::span<double> numbers) {
  switch (family) {
    case Family::kBase:
    case Family::kLastTile:
    case Family::kConstantRows:
      return;
    case Family::kLarge:
    case Family::kSmall:
      if (!problem::is_float(a.dtype)) return;
      for (double& x : numbers) x *= family == Family::kLarge ? 8 : 0.125;
      return;
    case Family::kSparse:
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        // Scattered by a multiplicative hash, the first element kept.
        if ((((first + i) * 0x9E3779B97F4A7C15ULL) >> 59) != 0) numbers[i] = 0;
      }
      return;
    case Family::kAllEqual:
      std::ranges::fill(numbers, first_element);
      return;
  }
}

constexpr std::size_t kChunk = 4096;

}  // namespace

RunKey RunKey::of_seed(std::uint64_t seed) {
  return RunKey(Digest::of("public" + std::to_string(seed)).bytes());
}
Result<RunKey> RunKey::parse(std::string_view hex) {
  KI_TRY(const Digest digest, Digest::parse("sha256:" + std::string(hex)));
  return RunKey(digest.bytes());
}
Digest RunKey::commitment() const { return Digest::of(view()); }
std::string RunKey::hex() const {
  std::string out;
  for (const std::uint8_t byte : bytes_) out += fmt::format("{:02x}", byte);
  return out;
}

std::string_view to_string(Phase phase) {
  constexpr std::array<std::string_view, 5> kNames = {"public", "hidden", "warmup", "timed",
                                                      "recheck"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::uint64_t stream_key(const RunKey& run, std::string_view workload, Phase phase,
                         std::uint64_t round, std::string_view name) {
  std::string message = "ki1";
  const std::string number = std::to_string(round);
  const std::array<std::string_view, 4> parts = {workload, to_string(phase), number, name};
  for (const std::string_view part : parts) {
    message += '\0';
    message += part;
  }
  message += '\0';
  const Digest mac = hmac_sha256(run.view(), message);
  std::uint64_t key = 0;
  for (std::size_t i = 8; i-- > 0;) key = (key << 8) | mac.bytes()[i];
  return key;
}

Distribution distribution_of(const Argument& argument, const ResolvedArgument& a,
                             std::string_view op_type) {
  const std::string_view name = argument.name;
  const std::string_view stem = without_digits(name);
  const std::string about = ascii_lower(argument.description);
  const auto has = [&](auto... words) { return contains_one_of(about, words...); };
  const bool is_sampled = op_type == "sampling" && name == "probs";
  const bool is_named = a.dtype == Dtype::kF64 || a.dtype == Dtype::kF32 ||
                        a.dtype == Dtype::kF16 || a.dtype == Dtype::kBf16;
  if (a.is_scalar || !is_named) return Distribution::kDefault;
  const std::size_t rank = a.shape.size();
  if (name == "norm_weight" || is_norm(name, "_weight")) return Distribution::kOnes;
  if (name == "norm_bias" || is_norm(name, "_bias")) return Distribution::kZeros;
  if (rank >= 2 && a.shape[rank - 1] == a.shape[rank - 2] &&
      (is_one_of(name, "attention_mask", "causal_mask") ||
       (has("attention mask") && has("causal"))))
    return Distribution::kCausalMask;
  if (is_one_of(name, "x_mask", "text_mask", "aspect_ratio_mask", "drop_mask", "attention_mask") ||
      (name.ends_with("_mask") &&
       has("binary", "{0, 1}", "0 or 1", "1.0 for valid", "0.0 for masked")))
    return Distribution::kBinaryMask;
  if (is_one_of(name, "cos", "cos_cached", "rope_cos")) return Distribution::kCos;
  if (is_one_of(name, "sin", "sin_cached", "rope_sin")) return Distribution::kSin;
  for (const std::string_view word : {name, stem}) {
    if (is_one_of(word, "rstd", "std", "variance", "var") ||
        ends_with_one_of(word, "_rstd", "_std", "_variance", "_var"))
      return Distribution::kPositive;
  }
  if (name == "A_cumsum") return Distribution::kDecaySum;
  if (name == "A_log") return Distribution::kLogDecay;
  if (name == "A") return Distribution::kDecay;
  if (name == "g") return Distribution::kGate;
  if (is_one_of(name, "attn_weights", "attention_weights", "routing_weights") || is_sampled ||
      (has("softmax") && has("output")))
    return Distribution::kSoftmax;
  if (rank >= 2 && (stem == "weight" || ends_with_one_of(stem, "_weight", "_weights", "_proj",
                                                         "_projs", "_weight_matrix")))
    return Distribution::kWeight;
  return Distribution::kDefault;
}

std::string_view to_string(Family family) {
  constexpr std::array<std::string_view, 7> kNames = {
      "base", "large", "small", "sparse", "constant_rows", "all_equal", "last_tile"};
  return kNames[static_cast<std::size_t>(family)];
}

bool is_symmetric(Distribution distribution) {
  return distribution == Distribution::kDefault || distribution == Distribution::kWeight;
}

void fill_input(const ResolvedArgument& a, Distribution distribution, Family family,
                std::uint64_t key, std::uint64_t base_key, std::span<std::byte> out) {
  KI_CHECK(static_cast<std::int64_t>(out.size()) == a.bytes);
  if (a.elements == 0) return;
  if (!is_symmetric(distribution)) family = Family::kBase;
  const Stream stream(family == Family::kLastTile ? base_key : key);
  const Stream tail(key);
  const auto elements = static_cast<std::uint64_t>(a.elements);
  const auto row = static_cast<std::uint64_t>(last_dimension(a));
  const std::uint64_t rows =
      a.shape.size() >= 2 ? static_cast<std::uint64_t>(a.shape[a.shape.size() - 2]) : 1;
  double first_element = 0;
  {
    std::array<double, 4> four;
    draw(stream, distribution, a, 0, four);
    first_element = four[0];
  }
  const bool is_by_row = needs_rows(distribution);
  const std::uint64_t step = is_by_row ? row : kChunk;
  std::vector<double> numbers(static_cast<std::size_t>(std::min(step, elements)) + 4);
  for (std::uint64_t first = 0; first < elements; first += step) {
    const auto count = static_cast<std::size_t>(std::min(step, elements - first));
    // A row may begin inside a block of four words.
    const std::uint64_t from = first / 4 * 4;
    const auto lead = static_cast<std::size_t>(first - from);
    std::span<double> drawn = std::span(numbers).first(lead + count);
    draw(stream, distribution, a, from, drawn);
    std::span<double> part = drawn.subspan(lead);
    if (is_by_row) finish_row(distribution, part);
    if (distribution == Distribution::kCausalMask) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t at = first + i;
        part[i] = at % row <= at / row % rows ? 0 : lowest(a.dtype);
      }
    }
    if (family == Family::kConstantRows) {
      // Each row draws its own first element; a chunk begins with that of the row it is in.
      std::array<double, 4> four;
      std::uint64_t drawn_row = std::numeric_limits<std::uint64_t>::max();
      double value = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t of = (first + i) / row;
        if (of != drawn_row) {
          const std::uint64_t begin = of * row;
          draw(stream, distribution, a, begin / 4 * 4, four);
          value = four[begin % 4];
          drawn_row = of;
        }
        part[i] = value;
      }
    }
    apply(family, a, first, first_element, part);
    if (family == Family::kLastTile && first + count + 64 > elements) {
      std::array<double, 72> last;
      const std::uint64_t tile = elements > 64 ? (elements - 64) / 4 * 4 : 0;
      draw(tail, distribution, a, tile,
           std::span(last).first(static_cast<std::size_t>(elements - tile)));
      const std::uint64_t change_from = elements > 64 ? elements - 64 : 0;
      for (std::size_t i = 0; i < count; ++i) {
        if (first + i >= change_from) part[i] = last[static_cast<std::size_t>(first + i - tile)];
      }
    }
    const std::size_t stored = a.dtype == Dtype::kF4E2m1x2
                                   ? count / 2
                                   : count * static_cast<std::size_t>(problem::byte_size(a.dtype));
    const std::size_t at = a.dtype == Dtype::kF4E2m1x2
                               ? static_cast<std::size_t>(first) / 2
                               : static_cast<std::size_t>(first) *
                                     static_cast<std::size_t>(problem::byte_size(a.dtype));
    encode(a.dtype, part, out.subspan(at, stored));
  }
}

void fill_scalar(Dtype dtype, std::uint64_t key, std::span<std::byte> out) {
  ResolvedArgument one;
  one.dtype = dtype;
  std::array<double, 4> numbers;
  draw(Stream(key), Distribution::kDefault, one, 0, numbers);
  encode(problem::scalar_type(dtype), std::span(numbers).first(1), out);
}

bool Pool::can_hold(Distribution distribution) {
  return !needs_rows(distribution) && distribution != Distribution::kCausalMask;
}

Pool::Pool(const ResolvedArgument& a, Distribution distribution, std::uint64_t key)
    : bytes_(kBlockBytes << kBlockBits), dtype_(a.dtype), flips_(is_symmetric(distribution)) {
  KI_CHECK(can_hold(distribution));
  ResolvedArgument pool = a;
  pool.bytes = static_cast<std::int64_t>(bytes_.size());
  pool.elements = count_of(a.dtype, bytes_.size());
  fill_input(pool, distribution, Family::kBase, key, key, bytes_);
}

void Pool::gather(std::uint64_t key, std::span<std::byte> out) const {
  const std::size_t pool_blocks = bytes_.size() / kBlockBytes;
  std::uint64_t flip = 0;
  switch (dtype_) {
    case Dtype::kF64:
      flip = 0x8000000000000000ULL;
      break;
    case Dtype::kF32:
      flip = 0x8000000080000000ULL;
      break;
    case Dtype::kF16:
    case Dtype::kBf16:
      flip = 0x8000800080008000ULL;
      break;
    case Dtype::kF8E4m3fn:
    case Dtype::kF8E5m2:
      flip = 0x8080808080808080ULL;
      break;
    case Dtype::kF4E2m1x2:
      flip = 0x8888888888888888ULL;
      break;
    case Dtype::kBool:
      flip = 0x0101010101010101ULL;
      break;
    case Dtype::kI64:
    case Dtype::kI32:
    case Dtype::kI16:
    case Dtype::kI8:
      flip = ~std::uint64_t{0};  // the complement maps -1024..1023 and -128..127 to themselves
      break;
  }
  for (std::size_t at = 0, block = 0; at < out.size(); at += kBlockBytes, ++block) {
    const auto lap = static_cast<std::uint64_t>(block / pool_blocks);
    const auto index = static_cast<std::uint32_t>(block % pool_blocks);
    const std::uint32_t from = permute(key ^ (lap * 0x9E3779B97F4A7C15ULL), kBlockBits, index);
    const std::size_t size = std::min(kBlockBytes, out.size() - at);
    const std::byte* source = bytes_.data() + static_cast<std::size_t>(from) * kBlockBytes;
    const auto random = stats::philox4x32_10(
        {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0, 2},
        {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)});
    if (!flips_ || (random[0] & 1U) == 0) {
      std::memcpy(out.data() + at, source, size);
      continue;
    }
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
      std::uint64_t word;
      std::memcpy(&word, source + i, 8);
      word ^= flip;
      std::memcpy(out.data() + at + i, &word, 8);
    }
    std::array<std::byte, 8> mask;
    std::memcpy(mask.data(), &flip, 8);
    for (; i < size; ++i) out[at + i] = source[i] ^ mask[i % 8];
  }
}

}  // namespace ki::judge
