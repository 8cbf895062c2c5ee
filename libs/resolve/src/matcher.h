// Matcher: one request against the runs of the snapshot. Hardware and software are decided once per
// environment, cases once per workload, code once per implementation; only rows that are shown get
// their mismatches written out. The rules themselves are libs/query's.
#pragma once

#include "case_view.h"
#include "ki/catalog/snapshot.h"
#include "ki/query/intent.h"
#include "ki/query/mismatch.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::resolve {

using catalog::Index;

// The GPUs of all environments, parsed once per snapshot.
class GpuTable {
 public:
  explicit GpuTable(const catalog::Snapshot& snapshot);
  const query::Gpu& of_environment(Index environment) const { return gpus_[slots_[environment]]; }
  std::span<const query::Gpu> all() const { return gpus_; }

 private:
  std::vector<query::Gpu> gpus_;      // distinct products
  std::vector<std::uint32_t> slots_;  // by environment
};

class Matcher {
 public:
  Matcher() = default;

  // Starts a request. `intent` must outlive the use; call again when it changes.
  void start(const catalog::Snapshot& snapshot, const GpuTable& gpus, const query::Intent& intent);
  // Which axes of the operation the bound ones are. Before any question about a workload or a run.
  void bind_axes(Index operation);

  bool has_environment_part() const { return has_environment_; }
  bool has_case_part() const { return has_case_; }
  bool has_code_part() const { return has_code_; }
  bool has_any() const { return has_environment_ || has_case_ || has_code_; }

  bool environment_matches(Index environment);
  // The whole part of the case: dtypes, layout, shapes, axes.
  bool workload_matches(Index workload);
  bool code_matches(const catalog::ImplementationRow& row) const {
    return (!language_ || row.language == *language_) &&
           (!framework_ || row.framework == *framework_);
  }
  bool cohort_matches(const catalog::CohortRow& cohort) {
    return environment_matches(cohort.environment) && workload_matches(cohort.workload);
  }
  // Ranked runs of the cohort without a mismatch.
  std::uint32_t matching_runs(Index cohort);
  // Mismatches of the cohort's first run, for choosing what differs least.
  std::size_t count_mismatches(Index cohort);

  // Without the binding of a case: dtypes, layout and tensors' dtypes and layouts only.
  bool matches_but_case(const query::CaseFacts& facts) const;
  // A case that differs from what is bound in one axis only has one of these; other counts from 2
  // on are told as 2. Of a suite 0.
  std::uint8_t count_other_axes(Index workload);
  // Whether axes are all that binds the case, and each is written in one way only.
  bool binds_plain_axes() const { return binds_plain_axes_; }
  // Whether the workload is the case that is bound (spec 05.8.1): shapes, axes and dtypes.
  bool is_case(Index workload);
  // dtypes only, for lists of operations.
  bool dtypes_match(Index workload);

  // What spec 05.7 lists of a run before its axes, in that order.
  const std::vector<query::Mismatch>& mismatches_before_axes(const catalog::RunRow& run);

  // A bound axis with the operation's name for it, in the order asked. 0: it has none.
  struct BoundAxis {
    catalog::NameId axis = 0;
    const query::AxisBinding* asked = nullptr;
  };
  std::span<const BoundAxis> bound_axes() const { return bound_axes_; }
  // The value of a bound axis in a case, found by the operation's name or else by any spelling.
  const catalog::CaseFacts::Axis* find_axis(const catalog::CaseFacts& facts,
                                            const BoundAxis& bound) const;

  CaseView& cases() { return cases_; }

 private:
  struct Note {
    std::uint32_t epoch = 0;
    bool value = false;
  };
  static constexpr std::uint8_t kNotCounted = 255;
  struct WorkloadNote {
    std::uint32_t epoch = 0;
    std::optional<bool> matches = {};
    std::uint8_t other_axes = kNotCounted;
  };

  WorkloadNote& note_of(Index workload);
  bool case_part_matches(const query::Intent& part, Index workload);
  bool decide_environment(Index environment);
  void load_run(const catalog::RunRow& run, query::RunFacts& facts);

  const catalog::Snapshot* snapshot_ = nullptr;
  const GpuTable* gpus_ = nullptr;
  const query::Intent* intent_ = nullptr;
  bool has_environment_ = false, has_case_ = false, has_code_ = false, has_only_dtypes_ = false;
  bool has_before_axes_ = false, binds_plain_axes_ = false;
  std::optional<catalog::NameId> language_, framework_;
  query::Intent environment_part_, case_part_, but_case_part_, dtype_part_;
  query::Intent before_axes_part_;
  std::vector<BoundAxis> bound_axes_;
  catalog::CaseFacts axes_only_;
  std::uint32_t epoch_ = 0;
  std::vector<Note> environments_;
  std::vector<WorkloadNote> workloads_;
  std::vector<std::pair<std::uint64_t, bool>> dtypes_;  // by dtypes, or by operation of a suite
  CaseView cases_;
  // Key of mismatches_: rows of one cohort and one language share them.
  Index last_workload_ = catalog::kNone, last_environment_ = catalog::kNone;
  catalog::NameId last_language_ = 0, last_framework_ = 0;
  std::vector<query::Mismatch> mismatches_;
};

}  // namespace ki::resolve
