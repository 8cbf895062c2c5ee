// The text filter of the records ledger: words that must all occur in what a row shows, or in a
// name that people know the operation by.
#pragma once

#include "ki/views/records.h"

#include <string>
#include <string_view>
#include <vector>

namespace ki::views {

class RecordTextFilter {
 public:
  RecordTextFilter(const RecordLedger& ledger, std::string_view text);
  bool is_open() const { return words_.empty(); }
  bool passes(const RecordHolder& holder);

 private:
  using Mask = std::uint32_t;  // bit i: words_[i] occurs

  Mask occurrences(std::string_view text) const;
  Mask in_operation(Index operation);
  Mask in_environment(Index environment);
  Mask in_implementation(Index implementation);
  Mask in_workload(Index workload) const;

  const RecordLedger& ledger_;
  const catalog::Snapshot& s_;
  std::vector<std::string> words_;  // lower case, at most 32
  Mask all_ = 0;
  // Answers so far; kUnknown where none is.
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  std::vector<std::uint64_t> operations_, environments_, implementations_;
};

// "CUDA 12.8 · pytorch 2.8.0+cu128 · flashinfer-bench": the parts that exist (spec 03.4).
std::string environment_summary(const catalog::Snapshot& snapshot, Index cohort);

}  // namespace ki::views
