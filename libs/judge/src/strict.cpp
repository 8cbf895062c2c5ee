#include "ki/judge/strict.h"

#include "ki/base/check.h"
#include "ki/judge/poison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace ki::judge {
namespace {

// Elements that match by ratio must not hide a tile that was skipped: below this many a cluster is
// chance; with half of its bounding box bad it is not.
constexpr std::uint64_t kTileElements = 16;
constexpr double kTileDensity = 0.5;
// Rounding that leaves a few elements out of tolerance leaves them near it. One that is out by this
// factor, and by a good part of the signal, was not computed.
constexpr double kGrossFactor = 16;
constexpr double kGrossSignal = 0.25;
constexpr double kWeakSignal = 0.1;
constexpr double kAtolSignal = 0.05;
constexpr double kDowngradeRatio = 10;

bool is_negative_infinity(double x) { return std::isinf(x) && x < 0; }

class Comparison {
 public:
  explicit Comparison(const StrictCase& c)
      : c_(c),
        count_(static_cast<std::size_t>(count_of(c.dtype, c.output.size()))),
        epsilon_(problem::is_float(c.dtype) ? epsilon(c.dtype) : 0) {
    KI_CHECK(c.native.size() == c.output.size());
    r_.total = count_;
  }

  StrictResult run() {
    if (!is_valid(c_.tolerance)) {
      r_.reason = Reason::kInvalidTolerance;
      return r_;
    }
    find_unwritten();
    if (problem::is_float(c_.dtype)) {
      floats();
    } else {
      integers();
    }
    if (r_.total > 0) {
      r_.matched_ratio = 1.0 - static_cast<double>(r_.bad) / static_cast<double>(r_.total);
    }
    if (r_.reason == Reason::kNone) decide();
    return std::move(r_);
  }

 private:
  // An element that equals its poison was not written, unless that is the right answer.
  void find_unwritten() {
    if (!c_.poison) return;
    const auto size = static_cast<std::size_t>(problem::byte_size(c_.dtype));
    constexpr std::size_t kChunk = 4096;
    std::array<std::byte, kChunk> poison;
    for (std::size_t at = 0; at < c_.output.size(); at += kChunk) {
      const std::size_t bytes = std::min(kChunk, c_.output.size() - at);
      poison_of(c_.dtype, *c_.poison, at / size, std::span(poison).first(bytes));
      for (std::size_t i = 0; i < bytes; i += size) {
        if (std::memcmp(poison.data() + i, c_.output.data() + at + i, size) == 0 &&
            std::memcmp(poison.data() + i, c_.native.data() + at + i, size) != 0)
          ++r_.unwritten;
      }
    }
    // One-byte types draw poison that a right answer hits once in 256: an element may equal it and
    // be merely wrong. Then only more of them than chance gives counts as unwritten.
    if (size == 1 && c_.dtype != Dtype::kBool && c_.dtype != Dtype::kF8E5m2) {
      const auto chance = static_cast<double>(r_.total) / 256;
      if (static_cast<double>(r_.unwritten) <= chance + 6 * std::sqrt(chance) + 1) r_.unwritten = 0;
    }
  }

  void mark_bad(std::size_t index) {
    ++r_.bad;
    if (!r_.first_bad) r_.first_bad = index;
    std::size_t rest = index;
    const std::size_t rank = c_.shape.size();
    if (r_.box_low.empty()) {
      r_.box_low.assign(rank, std::numeric_limits<std::int64_t>::max());
      r_.box_high.assign(rank, -1);
    }
    for (std::size_t d = rank; d-- > 0;) {
      const auto size = static_cast<std::size_t>(std::max<std::int64_t>(c_.shape[d], 1));
      const auto at = static_cast<std::int64_t>(rest % size);
      rest /= size;
      r_.box_low[d] = std::min(r_.box_low[d], at);
      r_.box_high[d] = std::max(r_.box_high[d], at);
    }
    last_bad_ = index;
  }

  void integers() {
    std::vector<std::int64_t> output(count_), expected(count_);
    decode_integers(c_.dtype, c_.output, output);
    decode_integers(c_.dtype, c_.native, expected);
    double squares = 0, reference_squares = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto reference = static_cast<double>(expected[i]);
      reference_squares += reference * reference;
      if (output[i] == expected[i]) continue;
      // The distance of two 64-bit integers fits an unsigned one.
      const std::uint64_t distance =
          output[i] > expected[i]
              ? static_cast<std::uint64_t>(output[i]) - static_cast<std::uint64_t>(expected[i])
              : static_cast<std::uint64_t>(expected[i]) - static_cast<std::uint64_t>(output[i]);
      const auto error = static_cast<double>(distance);
      squares += error * error;
      note_error(i, error, error / std::max(std::abs(reference), 1.0));
      mark_bad(i);
    }
    const double n = std::max<double>(1, static_cast<double>(count_));
    r_.rms_error = std::sqrt(squares / n);
    r_.rms_reference = std::sqrt(reference_squares / n);
    if (r_.bad > 0) r_.reason = r_.unwritten > 0 ? Reason::kPartialWrite : Reason::kTolerance;
  }

  void note_error(std::size_t index, double absolute, double relative) {
    if (!r_.worst || absolute > r_.max_absolute_error) r_.worst = index;
    r_.max_absolute_error = std::max(r_.max_absolute_error, absolute);
    r_.max_relative_error = std::max(r_.max_relative_error, relative);
  }

  void note_ulp(double error, double reference) {
    // The power of two at or below the reference: its exponent bits alone.
    constexpr std::uint64_t kExponent = 0x7ff0000000000000ULL;
    const double unit =
        epsilon_ *
        std::max(std::bit_cast<double>(std::bit_cast<std::uint64_t>(reference) & kExponent),
                 1e-300);
    const double ulps = error / unit;
    constexpr std::array<double, 7> kLimits = {0.5, 1, 2, 4, 16, 256, 65536};
    std::size_t bin = 0;
    for (const double limit : kLimits) bin += ulps > limit ? 1 : 0;
    ++r_.ulp_histogram[bin];
  }

  void floats() {
    KI_CHECK(c_.exact.size() == count_);
    std::vector<double> output(count_), native(count_);
    decode(c_.dtype, c_.output, output);
    decode(c_.dtype, c_.native, native);
    const bool may_be_minus_infinity = c_.tolerance.allow_negative_inf;

    double squares = 0;
    std::size_t finite = 0;
    for (const double reference : c_.exact) {
      if (std::isfinite(reference)) {
        squares += reference * reference;
        ++finite;
      } else if (!(may_be_minus_infinity && is_negative_infinity(reference))) {
        r_.reason = Reason::kInvalidReference;
        return;
      }
    }
    r_.rms_reference = finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
    const problem::Tolerance& t = c_.tolerance;
    // A reference of nothing but zeros has no signal to be weak against.
    const bool has_signal = r_.rms_reference > 0;
    r_.is_weak_tolerance = has_signal && t.max_atol >= kWeakSignal * r_.rms_reference;
    r_.atol = has_signal ? std::min(t.max_atol, kAtolSignal * r_.rms_reference) : t.max_atol;
    // What the type itself rounds away is never an error: half a unit of the last place.
    const double half = epsilon(c_.dtype) / 2;
    const double least = smallest(c_.dtype) / 2;

    double error_squares = 0, native_squares = 0;
    std::uint64_t bad_as_written = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double x = output[i], y = c_.exact[i];
      if (is_negative_infinity(y)) {
        if (!is_negative_infinity(x)) {
          (std::isnan(x) ? nans_ : infinities_) += 1;
          mark_bad(i);
        }
        continue;
      }
      if (!std::isfinite(x)) {
        (std::isnan(x) ? nans_ : infinities_) += 1;
        mark_bad(i);
        continue;
      }
      const double error = std::abs(x - y);
      const double rounding = std::max(half * std::abs(y), least);
      const double bound = r_.atol + t.max_rtol * std::abs(y) + rounding;
      error_squares += error * error;
      if (std::isfinite(native[i])) {
        const double native_error = native[i] - y;
        native_squares += native_error * native_error;
      }
      note_error(i, error, error / std::max({std::abs(y), r_.atol, 1e-300}));
      note_ulp(error, y);
      if (error > bound) {
        mark_bad(i);
        if (error > kGrossFactor * bound && error > kGrossSignal * r_.rms_reference) ++gross_;
        if (error > t.max_atol + t.max_rtol * std::abs(y) + rounding) ++bad_as_written;
      }
    }
    const double n = std::max<double>(1, static_cast<double>(finite));
    r_.rms_error = std::sqrt(error_squares / n);
    r_.native_rms_error = std::sqrt(native_squares / n);
    const double floor = std::max(r_.native_rms_error, epsilon(c_.dtype) / 4 * r_.rms_reference);
    r_.is_precision_downgrade =
        c_.dtype == Dtype::kF32 && floor > 0 && r_.rms_error > kDowngradeRatio * floor;
    is_within_as_written_ = fits(bad_as_written);
  }

  bool fits(std::uint64_t bad) const {
    if (r_.total == 0) return true;
    return 1.0 - static_cast<double>(bad) / static_cast<double>(r_.total) >=
           c_.tolerance.required_matched_ratio;
  }

  bool is_one_tile() const {
    if (r_.bad < kTileElements) return false;
    double volume = 1;
    for (std::size_t d = 0; d < r_.box_low.size(); ++d)
      volume *= static_cast<double>(r_.box_high[d] - r_.box_low[d] + 1);
    const auto run = static_cast<double>(last_bad_ - *r_.first_bad + 1);
    return static_cast<double>(r_.bad) >= kTileDensity * std::min(volume, run);
  }

  void decide() {
    if (r_.unwritten > 0) {
      r_.reason = Reason::kPartialWrite;
    } else if (nans_ > 0) {
      r_.reason = Reason::kNan;
    } else if (infinities_ > 0) {
      r_.reason = Reason::kInf;
    } else if (!fits(r_.bad)) {
      r_.reason = is_within_as_written_ && r_.is_weak_tolerance ? Reason::kWeakTolerance
                                                                : Reason::kTolerance;
    } else if (is_one_tile() || gross_ > 0) {
      r_.reason = Reason::kPartialTile;
    } else if (c_.tolerance.max_error_cap && r_.max_absolute_error > *c_.tolerance.max_error_cap) {
      r_.reason = Reason::kCap;
    }
  }

  const StrictCase& c_;
  std::size_t count_;
  double epsilon_;
  StrictResult r_;
  std::uint64_t nans_ = 0, infinities_ = 0, gross_ = 0;
  std::uint64_t last_bad_ = 0;
  bool is_within_as_written_ = false;
};

}  // namespace

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return "";
    case Reason::kInvalidTolerance:
      return "invalid_workload";
    case Reason::kInvalidReference:
      return "reference_nonfinite";
    case Reason::kPartialWrite:
      return "partial_write";
    case Reason::kNan:
      return "nan";
    case Reason::kInf:
      return "inf";
    case Reason::kWeakTolerance:
      return "weak_tolerance";
    case Reason::kPartialTile:
      return "partial_tile";
    case Reason::kCap:
      return "cap";
    case Reason::kTolerance:
      return "tolerance";
  }
  return "";
}

bool is_valid(const problem::Tolerance& t) {
  const auto is_size = [](double x) { return std::isfinite(x) && x >= 0; };
  return is_size(t.max_atol) && is_size(t.max_rtol) &&
         (!t.max_error_cap || is_size(*t.max_error_cap)) &&
         std::isfinite(t.required_matched_ratio) && t.required_matched_ratio > 0 &&
         t.required_matched_ratio <= 1;
}

StrictResult compare_strict(const StrictCase& c) { return Comparison(c).run(); }

RepeatResult compare_repeats(const Repeat& repeat) {
  const auto is_same = [](std::span<const std::byte> a, std::span<const std::byte> b) {
    return std::ranges::equal(a, b);
  };
  RepeatResult out;
  out.is_deterministic = is_same(repeat.first, repeat.again);
  const bool is_same_after = is_same(repeat.first, repeat.repoisoned);
  // A kernel that differs from call to call is told from one that reads its outputs by whether
  // what it made of other garbage is still right.
  out.depends_on_output_init = out.is_deterministic ? !is_same_after : !repeat.is_repoisoned_passed;
  return out;
}

}  // namespace ki::judge
