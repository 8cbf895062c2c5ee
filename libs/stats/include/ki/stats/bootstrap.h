// Resampled intervals of any statistic. Each replicate r draws from stream r of the seed, so an
// interval is recomputed from (samples, seed, replicates) alone.
#pragma once

#include "ki/stats/interval.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ki::stats {

using Statistic = std::function<double(std::span<const double>)>;

struct BootstrapOptions {
  std::uint64_t seed = 0;
  std::size_t replicates = 2000;  // at least 1 / (1 - level) times ten, else the tails are guesses
  double level = 0.95;
};

struct BootstrapResult {
  double estimate;  // the statistic of the samples themselves
  Interval interval;
  double standard_error;  // standard deviation of the replicates
};

// Quantiles (type 7) of the replicates. Preconditions: samples not empty and finite, 0 < level < 1,
// replicates >= 100, and the statistic finite for every resample.
BootstrapResult bootstrap_percentile(std::span<const double> samples, const Statistic& statistic,
                                     const BootstrapOptions& options = {});

// Bias-corrected and accelerated (Efron 1987; acceleration by the jackknife). Replicates within
// 1e-12 of the estimate, relative, count one half below it: rounding of a resample's sum. Falls
// back to the percentile interval where the correction does not exist: all replicates on one side
// of the estimate, or a single sample.
BootstrapResult bootstrap_bca(std::span<const double> samples, const Statistic& statistic,
                              const BootstrapOptions& options = {});

// What a hierarchical interval covers.
enum class Spread : std::uint8_t {
  kWithinProcess,  // one process only: the spread between processes is unknown
  kBetweenProcess,
};

struct HierarchicalOptions {
  BootstrapOptions bootstrap;
  std::size_t block_length = 0;  // samples; 0 = block_length_of() each process
};

struct HierarchicalResult {
  BootstrapResult bootstrap;
  Spread spread;
  std::vector<std::size_t> block_lengths;  // as used, one a process
};

// Median over processes of the per-process statistic. A replicate draws processes with replacement,
// then in each of them circular blocks of consecutive samples, cut to the process's own length
// (harness 09 section 1). Preconditions: at least one process, none empty, all finite.
HierarchicalResult bootstrap_hierarchical(std::span<const std::vector<double>> processes,
                                          const Statistic& statistic,
                                          const HierarchicalOptions& options = {});

// 1 + 2 (sum of the autocorrelations), summed in pairs while these stay positive (Geyer 1992,
// initial positive sequence); at least 1. 1 for a constant series or fewer than four values.
double integrated_autocorrelation_time(std::span<const double> series);

// max(ceil(n^(1/3)), ceil(2 integrated autocorrelation times)), at most n.
std::size_t block_length_of(std::span<const double> series);

}  // namespace ki::stats
