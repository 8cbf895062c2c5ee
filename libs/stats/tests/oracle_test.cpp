// Every row of data/oracle.tsv, computed independently by oracle/make_oracle.py, agrees to 1e-12.
#include "ki/base/text.h"
#include "ki/stats/bootstrap.h"
#include "ki/stats/elementary.h"
#include "ki/stats/equivalence.h"
#include "ki/stats/geometric_mean.h"
#include "ki/stats/hodges_lehmann.h"
#include "ki/stats/holm.h"
#include "ki/stats/rank_tests.h"
#include "ki/stats/special.h"
#include "ki/stats/summary.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::stats {
namespace {

using Arguments = std::vector<std::vector<double>>;
using Function = std::function<double(const Arguments&)>;

constexpr double kRelativeTolerance = 1e-12;
constexpr double kAbsoluteTolerance = 1e-30;  // for expected zeros

double number(std::string_view text) {
  double value = std::nan("");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(error == std::errc{} && end == text.data() + text.size()) << text;
  return value;
}

QuantileType quantile_type(double number) {
  return number == 7 ? QuantileType::k7 : QuantileType::k8;
}

Function of_one(double (*function)(double)) {
  return [function](const Arguments& a) { return function(a[0][0]); };
}
Function of_two(double (*function)(double, double)) {
  return [function](const Arguments& a) { return function(a[0][0], a[1][0]); };
}

void add_rank_tests(std::map<std::string, Function, std::less<>>& functions) {
  const std::map<std::string, Alternative> alternatives = {{"two", Alternative::kTwoSided},
                                                           {"less", Alternative::kLess},
                                                           {"greater", Alternative::kGreater}};
  for (const auto& [name, alternative] : alternatives) {
    functions["mann_whitney.exact." + name] = [alternative](const Arguments& a) {
      const auto test =
          mann_whitney(a[0], a[1], {.alternative = alternative, .null = NullDistribution::kExact});
      EXPECT_TRUE(test.exact);
      return test.p;
    };
    functions["signed_rank.exact." + name] = [alternative](const Arguments& a) {
      const auto test =
          signed_rank(a[0], {.alternative = alternative, .null = NullDistribution::kExact});
      EXPECT_TRUE(test.exact);
      return test.p;
    };
    for (const bool corrected : {false, true}) {
      const std::string suffix = name + (corrected ? ".corrected" : "");
      functions["mann_whitney.normal." + suffix] = [alternative, corrected](const Arguments& a) {
        return mann_whitney(a[0], a[1],
                            {.alternative = alternative,
                             .null = NullDistribution::kNormal,
                             .continuity_correction = corrected})
            .p;
      };
      functions["signed_rank.normal." + suffix] = [alternative, corrected](const Arguments& a) {
        return signed_rank(a[0], {.alternative = alternative,
                                  .null = NullDistribution::kNormal,
                                  .continuity_correction = corrected})
            .p;
      };
    }
  }
  functions["mann_whitney.u"] = [](const Arguments& a) {
    return mann_whitney(a[0], a[1]).statistic;
  };
  functions["signed_rank.w"] = [](const Arguments& a) { return signed_rank(a[0]).statistic; };
}

double part_of(const ShiftEstimate& shift, std::string_view part) {
  if (part == "estimate") return shift.estimate;
  if (!shift.interval) return std::nan("");
  return part == "low"    ? shift.interval->low
         : part == "high" ? shift.interval->high
                          : shift.interval->level;
}

void add_shifts(std::map<std::string, Function, std::less<>>& functions) {
  for (const std::string part : {"estimate", "low", "high", "level"}) {
    functions["hodges_lehmann." + part] = [part](const Arguments& a) {
      return part_of(hodges_lehmann(a[0], a[1][0]), part);
    };
    functions["hodges_lehmann_shift." + part] = [part](const Arguments& a) {
      return part_of(hodges_lehmann_shift(a[0], a[1], a[2][0]), part);
    };
  }
}

void add_bootstraps(std::map<std::string, Function, std::less<>>& functions) {
  using Bootstrap =
      BootstrapResult (*)(std::span<const double>, const Statistic&, const BootstrapOptions&);
  const std::map<std::string, Bootstrap> bootstraps = {
      {"bootstrap_percentile.", bootstrap_percentile}, {"bootstrap_bca.", bootstrap_bca}};
  const std::map<std::string, Statistic> statistics = {{"mean", mean}, {"median", median}};
  for (const auto& [prefix, bootstrap] : bootstraps) {
    for (const auto& [name, statistic] : statistics) {
      for (const bool is_low : {true, false}) {
        functions[prefix + name + (is_low ? ".low" : ".high")] = [bootstrap, statistic,
                                                                  is_low](const Arguments& a) {
          const auto result = bootstrap(a[0], statistic,
                                        {.seed = static_cast<std::uint64_t>(a[1][0]),
                                         .replicates = static_cast<std::size_t>(a[2][0]),
                                         .level = a[3][0]});
          return is_low ? result.interval.low : result.interval.high;
        };
      }
    }
  }
}

std::map<std::string, Function, std::less<>> all_functions() {
  std::map<std::string, Function, std::less<>> functions = {
      {"log", of_one(portable_log)},
      {"log1p", of_one(portable_log1p)},
      {"exp", of_one(portable_exp)},
      {"erfc", of_one(erfc)},
      {"normal_cdf", of_one(normal_cdf)},
      {"normal_upper_tail", of_one(normal_upper_tail)},
      {"normal_quantile", of_one(normal_quantile)},
      {"log_beta", of_two(log_beta)},
      {"student_t_upper_tail", of_two(student_t_upper_tail)},
      {"student_t_cdf", of_two(student_t_cdf)},
      {"student_t_quantile", of_two(student_t_quantile)},
      {"incomplete_beta",
       [](const Arguments& a) { return incomplete_beta(a[0][0], a[1][0], a[2][0]); }},
      {"median", [](const Arguments& a) { return median(a[0]); }},
      {"mad", [](const Arguments& a) { return median_absolute_deviation(a[0]); }},
      {"mean", [](const Arguments& a) { return mean(a[0]); }},
      {"variance", [](const Arguments& a) { return variance(a[0]); }},
      {"trimmed_mean", [](const Arguments& a) { return trimmed_mean(a[0], a[1][0]); }},
      {"quantile",
       [](const Arguments& a) { return quantile(a[0], a[1][0], quantile_type(a[2][0])); }},
      {"iqr", [](const Arguments& a) { return interquartile_range(a[0], quantile_type(a[1][0])); }},
      {"geometric_mean", [](const Arguments& a) { return geometric_mean(a[0]).value(); }},
      {"tost_student", [](const Arguments& a) { return tost_student(a[0], a[1][0]).p; }},
      {"tost_welch", [](const Arguments& a) { return tost_welch(a[0], a[1], a[2][0]).p; }},
      {"tost_signed_rank", [](const Arguments& a) { return tost_signed_rank(a[0], a[1][0]).p; }},
      {"holm",
       [](const Arguments& a) { return holm_adjust(a[0])[static_cast<std::size_t>(a[1][0])]; }},
  };
  add_rank_tests(functions);
  add_shifts(functions);
  add_bootstraps(functions);
  return functions;
}

TEST(Oracle, EveryIndependentlyComputedValueAgreesToTwelveDigits) {
  std::ifstream table(KI_SOURCE_DIR "/libs/stats/tests/data/oracle.tsv");
  ASSERT_TRUE(table) << "tests/data/oracle.tsv is missing";
  const auto functions = all_functions();
  std::map<std::string, int> rows;
  int line_number = 0;
  for (std::string line; std::getline(table, line);) {
    ++line_number;
    if (line.starts_with('#')) continue;
    const auto fields = split(line, '\t');
    ASSERT_EQ(fields.size(), 3U) << "line " << line_number;
    const auto function = functions.find(fields[0]);
    ASSERT_NE(function, functions.end()) << "line " << line_number << ": no function " << fields[0];
    Arguments arguments;
    for (const auto list : split(fields[1], ';')) {
      auto& numbers = arguments.emplace_back();
      for (const auto item : split(list, ',')) numbers.push_back(number(item));
    }
    const double expected = number(fields[2]);
    const double actual = function->second(arguments);
    const double tolerance = kRelativeTolerance * std::fabs(expected) + kAbsoluteTolerance;
    EXPECT_LE(std::fabs(actual - expected), tolerance)
        << "line " << line_number << ": " << fields[0] << "(" << fields[1] << ") is " << actual
        << ", expected " << expected << ", relative error " << (actual - expected) / expected;
    ++rows[std::string(fields[0])];
  }
  for (const auto& [name, unused] : functions)
    EXPECT_GT(rows[name], 0) << "no oracle row for " << name;
}

}  // namespace
}  // namespace ki::stats
