// The same bits from every compiler: seeded results of every part, as hexadecimal floating-point
// numbers, against the committed table data/bits.tsv. KI_ACCEPT=1 rewrites the table and skips, so
// that a green run never means "accepted".
#include "ki/stats/bootstrap.h"
#include "ki/stats/compare_paired.h"
#include "ki/stats/elementary.h"
#include "ki/stats/equivalence.h"
#include "ki/stats/hodges_lehmann.h"
#include "ki/stats/noise_floor.h"
#include "ki/stats/rank_tests.h"
#include "ki/stats/special.h"
#include "ki/stats/summary.h"
#include "ki/stats_testing/noise.h"

#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ki::stats {
namespace {

constexpr const char* kTable = KI_SOURCE_DIR "/libs/stats/tests/data/bits.tsv";

class Table {
 public:
  void add(const std::string& name, double value) {
    std::array<char, 64> text{};
    const auto [end, error] =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::hex);
    EXPECT_EQ(error, std::errc{});
    text_ << name << '\t' << std::string(text.data(), end) << '\n';
  }
  void add(const std::string& name, const Interval& interval) {
    add(name + ".low", interval.low);
    add(name + ".high", interval.high);
    add(name + ".level", interval.level);
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

void add_functions(Table& table) {
  Random random(41, 0);
  for (int i = 0; i < 40; ++i) {
    const auto suffix = "." + std::to_string(i);
    const double u = random.uniform();
    const double x = 40 * (random.uniform() - 0.5);
    table.add("uniform" + suffix, u);
    table.add("log" + suffix, portable_log(u));
    table.add("log1p" + suffix, portable_log1p(u - 0.5));
    table.add("exp" + suffix, portable_exp(x));
    table.add("erfc" + suffix, erfc(x / 6));
    table.add("normal_quantile" + suffix, normal_quantile(u));
    table.add("incomplete_beta" + suffix, incomplete_beta(0.5 + 10 * u, 3, u));
    table.add("student_t_cdf" + suffix, student_t_cdf(x / 4, 1 + 30 * u));
    table.add("student_t_quantile" + suffix, student_t_quantile(u, 1 + 30 * u));
  }
}

void add_samples(Table& table) {
  Random random(42, 0);
  std::vector<double> first(40), second(33);
  for (double& v : first) v = 10 * portable_exp(0.05 * random.normal());
  for (double& v : second) v = 10.2 * portable_exp(0.05 * random.normal());
  table.add("mean", mean(first));
  table.add("variance", variance(first));
  table.add("median", median(first));
  table.add("mad", median_absolute_deviation(first));
  table.add("trimmed_mean", trimmed_mean(first, 0.1));
  table.add("quantile7", quantile(first, 0.9, QuantileType::k7));
  table.add("quantile8", quantile(first, 0.9, QuantileType::k8));
  table.add("mann_whitney.exact",
            mann_whitney(first, second, {.null = NullDistribution::kExact}).p);
  table.add("mann_whitney.normal", mann_whitney(first, second).p);
  std::vector<double> differences(second.size());
  for (std::size_t i = 0; i < second.size(); ++i) differences[i] = first[i] - second[i];
  table.add("signed_rank", signed_rank(differences).p);
  table.add("tost_student", tost_student(differences, 0.5).p);
  table.add("tost_welch", tost_welch(first, second, 0.5).p);
  table.add("hodges_lehmann", hodges_lehmann(differences).interval.value());
  table.add("hodges_lehmann_shift", hodges_lehmann_shift(first, second).interval.value());
  const BootstrapOptions options{.seed = 43, .replicates = 500};
  table.add("bootstrap_percentile", bootstrap_percentile(first, mean, options).interval);
  table.add("bootstrap_bca", bootstrap_bca(first, mean, options).interval);
  table.add("bootstrap_bca.error", bootstrap_bca(first, median, options).standard_error);
  const std::vector<std::vector<double>> processes = {first, second, differences};
  table.add("bootstrap_hierarchical",
            bootstrap_hierarchical(processes, median, {.bootstrap = options}).bootstrap.interval);
  table.add("autocorrelation_time", integrated_autocorrelation_time(first));
}

void add_verdicts(Table& table) {
  const Quantity quantity{.cohort = "bits", .unit = "ns"};
  for (const auto family : stats_testing::kNoiseFamilies) {
    std::vector<double> distances;
    for (std::uint64_t i = 0; i < NoiseFloor::kLeastComparisons; ++i) {
      Random random(44, (static_cast<std::uint64_t>(family) << 32) | i);
      const auto pairs = stats_testing::draw_pairs(family, 30, 0, random);
      distances.push_back(std::fabs(*compare_paired(quantity, quantity, pairs, {}).log_ratio));
    }
    const std::string name(stats_testing::to_string(family));
    table.add(name + ".floor", NoiseFloor::measured(std::move(distances)).value().log_ratio());
    Random random(45, static_cast<std::uint64_t>(family));
    const auto pairs = stats_testing::draw_pairs(family, 30, 0.01, random);
    const auto comparison = compare_paired(quantity, quantity, pairs, {});
    table.add(name + ".verdict", static_cast<double>(comparison.verdict));
    table.add(name + ".p", *comparison.p);
    table.add(name + ".ratio", *comparison.ratio());
    table.add(name + ".interval", *comparison.ratio_interval());
  }
}

TEST(Bits, AreThoseOfTheCommittedTable) {
  Table table;
  add_functions(table);
  add_samples(table);
  add_verdicts(table);
  if (std::getenv("KI_ACCEPT") != nullptr) {
    std::ofstream(kTable) << table.text();
    GTEST_SKIP() << "skipped: KI_ACCEPT rewrote " << kTable;
  }
  std::ifstream file(kTable);
  ASSERT_TRUE(file) << kTable << " is missing; KI_ACCEPT=1 writes it";
  std::istringstream actual(table.text());
  std::string expected_line, actual_line;
  while (std::getline(file, expected_line)) {
    ASSERT_TRUE(std::getline(actual, actual_line)) << "the table has more lines than the test";
    EXPECT_EQ(actual_line, expected_line);
  }
  EXPECT_FALSE(std::getline(actual, actual_line))
      << "the test has more lines than the table: " << actual_line;
}

}  // namespace
}  // namespace ki::stats
