#include "ki/judge/convert.h"

#include "ki/base/check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace ki::judge {
namespace {

// A small floating format: sign, exponent, fraction. `has_infinity` also means IEEE NaNs.
struct Format {
  int exponent_bits;
  int fraction_bits;
  int bias;
  bool has_infinity;
  bool has_nan;  // without infinity: the all-ones code alone
};
constexpr Format kF16 = {5, 10, 15, true, true};
constexpr Format kBf16 = {8, 7, 127, true, true};
constexpr Format kE5m2 = {5, 2, 15, true, true};
constexpr Format kE4m3fn = {4, 3, 7, false, true};
constexpr Format kE2m1 = {2, 1, 1, false, false};

constexpr std::uint32_t ones(int bits) { return (1U << bits) - 1; }

double decode_small(const Format& f, std::uint32_t code) {
  const std::uint32_t fraction = code & ones(f.fraction_bits);
  const std::uint32_t exponent = (code >> f.fraction_bits) & ones(f.exponent_bits);
  const bool is_negative = ((code >> (f.fraction_bits + f.exponent_bits)) & 1U) != 0;
  double magnitude = 0;
  if (f.has_infinity && exponent == ones(f.exponent_bits)) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (!f.has_infinity && f.has_nan && exponent == ones(f.exponent_bits) &&
             fraction == ones(f.fraction_bits)) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction), 1 - f.bias - f.fraction_bits);
  } else {
    magnitude = std::ldexp(static_cast<double>(fraction + (1U << f.fraction_bits)),
                           static_cast<int>(exponent) - f.bias - f.fraction_bits);
  }
  return is_negative ? -magnitude : magnitude;
}

// Round to nearest even from double, in integer arithmetic on the double's bits.
std::uint32_t encode_small(const Format& f, double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const auto sign = static_cast<std::uint32_t>(bits >> 63) << (f.exponent_bits + f.fraction_bits);
  const std::uint32_t all_ones = ones(f.exponent_bits + f.fraction_bits);
  if (std::isnan(number)) {
    if (!f.has_nan) return 0;
    return f.has_infinity
               ? sign | (ones(f.exponent_bits) << f.fraction_bits) | (1U << (f.fraction_bits - 1))
               : sign | all_ones;
  }
  // Negative zero is 0 in the type without NaN, as the original's table has it.
  if (!f.has_nan && number == 0) return 0;
  const std::uint32_t largest = f.has_infinity ? (ones(f.exponent_bits) << f.fraction_bits) - 1
                                : f.has_nan    ? all_ones - 1
                                               : all_ones;
  const std::uint32_t over = f.has_infinity || f.has_nan ? largest + 1 : largest;
  if (std::isinf(number)) return sign | over;
  if (number == 0) return sign;
  int exponent = 0;
  const double mantissa = std::frexp(std::abs(number), &exponent);  // in [1/2, 1)
  // The unit in the last place: of the exponent, but not below that of subnormals.
  int unit = exponent - 1 - f.fraction_bits;
  const int lowest = 1 - f.bias - f.fraction_bits;
  if (unit < lowest) unit = lowest;
  const double scaled = std::ldexp(mantissa, exponent - unit);  // exact, below 2^(fraction+1)
  const double rounded = std::nearbyint(scaled);
  // The code counts units from zero: exponents follow one another without a gap.
  auto code = static_cast<std::uint32_t>(rounded);
  if (unit > lowest) code += static_cast<std::uint32_t>(unit - lowest) << f.fraction_bits;
  if (code > largest) code = over;
  return sign | code;
}

// encode_small(kBf16, ...) of most numbers without its loops: to binary32 with the last bit set
// when anything was lost (round to odd), then to nearest even. One rounding in all, as 24 bits are
// more than two above the 8 that stay (Boldo and Melquiond, IEEE Trans. Computers 57, 2008).
std::uint16_t encode_bf16(double number) {
  const auto nearest = static_cast<float>(number);
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if ((bits & 0x7f800000U) == 0x7f800000U)
    return static_cast<std::uint16_t>(encode_small(kBf16, number));
  const double back = nearest;
  if (back != number) {
    if (std::abs(back) > std::abs(number)) --bits;  // towards zero
    bits |= 1U;
  }
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

const std::array<double, 256>& table(Dtype dtype) {
  const auto make = [](const Format& f) {
    std::array<double, 256> out{};
    for (std::uint32_t code = 0; code < 256; ++code) out[code] = decode_small(f, code);
    return out;
  };
  static const std::array<double, 256> kE4m3fnTable = make(kE4m3fn);
  static const std::array<double, 256> kE5m2Table = make(kE5m2);
  return dtype == Dtype::kF8E5m2 ? kE5m2Table : kE4m3fnTable;
}
const std::array<double, 16>& e2m1_table() {
  static const std::array<double, 16> kTable = [] {
    std::array<double, 16> out{};
    for (std::uint32_t code = 0; code < 16; ++code) out[code] = decode_small(kE2m1, code);
    return out;
  }();
  return kTable;
}

double decode_f16(std::uint16_t code) {
  const std::uint32_t exponent = (code >> 10) & 31U;
  if (exponent != 0 && exponent != 31) {  // the common case without ldexp
    const std::uint64_t bits = (static_cast<std::uint64_t>(code & 0x8000U) << 48) |
                               (static_cast<std::uint64_t>(exponent + 1008) << 52) |
                               (static_cast<std::uint64_t>(code & 0x3ffU) << 42);
    return std::bit_cast<double>(bits);
  }
  return decode_small(kF16, code);
}
double decode_bf16(std::uint16_t code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16);
}

template <class T>
T to_integer(double number) {
  if (std::isnan(number)) return 0;
  constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::min());
  if (number <= kLow) return std::numeric_limits<T>::min();
  if (number >= -kLow) return std::numeric_limits<T>::max();
  return static_cast<T>(number);
}

// Calls f(index, address) for each stored element.
template <class F>
void for_each(std::size_t count, std::size_t bytes, const std::byte* data, F f) {
  for (std::size_t i = 0; i < count; ++i) f(i, data + i * bytes);
}

}  // namespace

void decode(Dtype dtype, std::span<const std::byte> bytes, std::span<double> out) {
  const auto count = static_cast<std::size_t>(count_of(dtype, bytes.size()));
  KI_CHECK(out.size() >= count);
  const auto size = static_cast<std::size_t>(problem::byte_size(dtype));
  const std::byte* data = bytes.data();
  switch (dtype) {
    case Dtype::kF64:
      return for_each(count, size, data, [&](auto i, auto at) { out[i] = load<double>(at); });
    case Dtype::kF32:
      return for_each(count, size, data, [&](auto i, auto at) { out[i] = load<float>(at); });
    case Dtype::kF16:
      return for_each(count, size, data,
                      [&](auto i, auto at) { out[i] = decode_f16(load<std::uint16_t>(at)); });
    case Dtype::kBf16:
      return for_each(count, size, data,
                      [&](auto i, auto at) { out[i] = decode_bf16(load<std::uint16_t>(at)); });
    case Dtype::kF8E4m3fn:
    case Dtype::kF8E5m2: {
      const auto& values = table(dtype);
      return for_each(count, size, data,
                      [&](auto i, auto at) { out[i] = values[load<std::uint8_t>(at)]; });
    }
    case Dtype::kF4E2m1x2: {
      const auto& values = e2m1_table();
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto byte = static_cast<std::uint8_t>(bytes[i]);
        out[2 * i] = values[byte & 15U];
        out[2 * i + 1] = values[byte >> 4];
      }
      return;
    }
    case Dtype::kI64:
      return for_each(count, size, data, [&](auto i, auto at) {
        out[i] = static_cast<double>(load<std::int64_t>(at));
      });
    case Dtype::kI32:
      return for_each(count, size, data, [&](auto i, auto at) { out[i] = load<std::int32_t>(at); });
    case Dtype::kI16:
      return for_each(count, size, data, [&](auto i, auto at) { out[i] = load<std::int16_t>(at); });
    case Dtype::kI8:
      return for_each(count, size, data, [&](auto i, auto at) { out[i] = load<std::int8_t>(at); });
    case Dtype::kBool:
      return for_each(count, size, data,
                      [&](auto i, auto at) { out[i] = load<std::uint8_t>(at) != 0 ? 1 : 0; });
  }
}

void encode(Dtype dtype, std::span<const double> numbers, std::span<std::byte> out) {
  KI_CHECK(static_cast<std::int64_t>(numbers.size()) <= count_of(dtype, out.size()));
  std::byte* data = out.data();
  const auto each = [&]<class T>(T (*convert)(double)) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      store<T>(data + i * sizeof(T), convert(numbers[i]));
    }
  };
  switch (dtype) {
    case Dtype::kF64:
      return each.operator()<double>([](double x) { return x; });
    case Dtype::kF32:
      return each.operator()<float>([](double x) { return static_cast<float>(x); });
    case Dtype::kF16:
      return each.operator()<std::uint16_t>(
          [](double x) { return static_cast<std::uint16_t>(encode_small(kF16, x)); });
    case Dtype::kBf16:
      return each.operator()<std::uint16_t>(encode_bf16);
    case Dtype::kF8E4m3fn:
      return each.operator()<std::uint8_t>(
          [](double x) { return static_cast<std::uint8_t>(encode_small(kE4m3fn, x)); });
    case Dtype::kF8E5m2:
      return each.operator()<std::uint8_t>(
          [](double x) { return static_cast<std::uint8_t>(encode_small(kE5m2, x)); });
    case Dtype::kF4E2m1x2:
      KI_CHECK(numbers.size() % 2 == 0);
      for (std::size_t i = 0; i < numbers.size() / 2; ++i) {
        const std::uint32_t low = encode_small(kE2m1, numbers[2 * i]);
        const std::uint32_t high = encode_small(kE2m1, numbers[2 * i + 1]);
        data[i] = static_cast<std::byte>(low | (high << 4));
      }
      return;
    case Dtype::kI64:
      return each.operator()<std::int64_t>(to_integer<std::int64_t>);
    case Dtype::kI32:
      return each.operator()<std::int32_t>(to_integer<std::int32_t>);
    case Dtype::kI16:
      return each.operator()<std::int16_t>(to_integer<std::int16_t>);
    case Dtype::kI8:
      return each.operator()<std::int8_t>(to_integer<std::int8_t>);
    case Dtype::kBool:
      return each.operator()<std::uint8_t>(
          [](double x) { return static_cast<std::uint8_t>(x != 0 ? 1 : 0); });
  }
}

void decode_integers(Dtype dtype, std::span<const std::byte> bytes, std::span<std::int64_t> out) {
  KI_CHECK(!problem::is_float(dtype));
  const auto size = static_cast<std::size_t>(problem::byte_size(dtype));
  const std::size_t count = bytes.size() / size;
  KI_CHECK(out.size() >= count);
  const std::byte* data = bytes.data();
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* at = data + i * size;
    switch (dtype) {
      case Dtype::kI64:
        out[i] = load<std::int64_t>(at);
        break;
      case Dtype::kI32:
        out[i] = load<std::int32_t>(at);
        break;
      case Dtype::kI16:
        out[i] = load<std::int16_t>(at);
        break;
      case Dtype::kI8:
        out[i] = load<std::int8_t>(at);
        break;
      default:
        out[i] = load<std::uint8_t>(at);
    }
  }
}

void decode_f32(Dtype dtype, std::span<const std::byte> bytes, std::span<float> out) {
  const auto count = static_cast<std::size_t>(count_of(dtype, bytes.size()));
  KI_CHECK(out.size() >= count);
  if (dtype == Dtype::kF32) {
    std::ranges::copy(bytes.first(count * sizeof(float)), std::as_writable_bytes(out).begin());
    return;
  }
  if (dtype == Dtype::kI64) {  // straight to binary32: one rounding, not two
    for (std::size_t i = 0; i < count; ++i)
      out[i] = static_cast<float>(load<std::int64_t>(bytes.data() + i * sizeof(std::int64_t)));
    return;
  }
  constexpr std::size_t kChunk = 1024;
  std::array<double, kChunk> numbers;
  const std::size_t step = dtype == Dtype::kF4E2m1x2
                               ? kChunk / 2
                               : kChunk * static_cast<std::size_t>(problem::byte_size(dtype));
  std::size_t done = 0;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const auto part = bytes.subspan(at, std::min(step, bytes.size() - at));
    decode(dtype, part, numbers);
    const auto decoded = static_cast<std::size_t>(count_of(dtype, part.size()));
    for (std::size_t i = 0; i < decoded; ++i) out[done + i] = static_cast<float>(numbers[i]);
    done += decoded;
  }
}

double epsilon(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return std::numeric_limits<double>::epsilon();
    case Dtype::kF32:
      return std::numeric_limits<float>::epsilon();
    case Dtype::kF16:
      return 0x1p-10;
    case Dtype::kBf16:
      return 0x1p-7;
    case Dtype::kF8E4m3fn:
      return 0x1p-3;
    case Dtype::kF8E5m2:
      return 0x1p-2;
    case Dtype::kF4E2m1x2:
      return 0x1p-1;
    case Dtype::kI64:
    case Dtype::kI32:
    case Dtype::kI16:
    case Dtype::kI8:
    case Dtype::kBool:
      return 0;
  }
  return 0;
}

double smallest(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return std::numeric_limits<double>::denorm_min();
    case Dtype::kF32:
      return static_cast<double>(std::numeric_limits<float>::denorm_min());
    case Dtype::kF16:
      return 0x1p-24;
    case Dtype::kBf16:
      return 0x1p-133;
    case Dtype::kF8E4m3fn:
      return 0x1p-9;
    case Dtype::kF8E5m2:
      return 0x1p-16;
    case Dtype::kF4E2m1x2:
      return 0.5;
    case Dtype::kI64:
    case Dtype::kI32:
    case Dtype::kI16:
    case Dtype::kI8:
    case Dtype::kBool:
      return 0;
  }
  return 0;
}

}  // namespace ki::judge
