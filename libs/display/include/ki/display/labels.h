// Short texts about workloads, evidence, ranks and identities (spec 13.3 to 13.5).
#pragma once

#include "ki/base/instant.h"
#include "ki/json/value.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ki::display {

// "suite of 16 cases · mean latency"; parts that are empty or "unspecified" are left out.
std::string suite_label(std::int64_t cases, std::string_view statistic, std::string_view metric);

struct Axis {
  std::string_view name{};
  double value = 0;
};
// "m = 120 · fp16": axes in the order given, then the dtype label.
std::string case_label(std::span<const Axis> axes, std::span<const std::string_view> dtypes);

// "bf16", "bf16/fp32 +1": float4_e2m1fn_x2 reads fp4, integers and bool only when nothing else is
// there.
std::string dtype_label(std::span<const std::string_view> dtypes);

// "bf16 · [64, 7168]": dtype label and stored shape summary, empty parts and "[]" left out.
std::string workload_summary(std::span<const std::string_view> dtypes,
                             std::string_view shape_summary);

// "abs ≤ 0.01, rel ≤ 0.05, matched ≥ 99%" of a workload's or run's correctness body
// (maxAbsoluteError or maximumAbsoluteError, and so on), else its comparator, else kMissing.
std::string tolerance_summary(const json::Value& correctness);

// "hardware.gpu" -> "GPU", "axes.n" -> "n", "workload.dtype" -> "dtype".
std::string mismatch_field(std::string_view field);

// "Verified", "Replicated", "Reproducible", "Reported"; "No evidence" for anything else.
std::string evidence_label(std::string_view level);

// "runtime_error" -> "runtime error".
std::string words(std::string_view identifier);

// "2", tied "2=", unranked kMissing.
std::string rank_text(std::optional<std::uint32_t> rank, bool is_tied);
// "#2 of 70".
std::string rank_of(std::uint32_t rank, std::uint32_t cohort_size);
// Bounds of ranking-v2: "3" when they agree, else "2–5".
std::string rank_bounds(std::uint32_t best, std::uint32_t worst);

// Ids cut for reading, with "…" when something was cut.
std::string title_id(std::string_view run_id);           // 8 characters, no "…": "Run 01a0352b"
std::string short_run_id(std::string_view run_id);       // 13 characters
std::string short_key(std::string_view comparison_key);  // 23 characters, "sha256:" included
std::string short_digest(std::string_view digest);       // 30 characters, "sha256:" included

// "SOL 0.0914 · 0.12× reference · 0/16 cases faster" of a run's sourceNative.metrics object;
// nothing when no part is left. Other numeric members follow in the order of their names.
std::optional<std::string> source_native_line(const json::Value& metrics);

struct RankLine {
  std::optional<std::uint32_t> rank{};  // none: eligible but not ranked
  std::uint32_t cohort_size = 0;        // 0: unknown, left out
  bool is_tied = false;
  bool is_source_native = false;
  std::optional<Instant> observed_at{};
  std::string_view policy_version{};          // "ranking-v1"; empty: left out
  std::optional<Instant> as_of{};             // state of the catalog that the rank is of
  std::span<const std::string> ineligible{};  // codes; when any, the rank is left out
};
// "Rank 2= of 70 in its comparison group · strict exact comparison · observed 2026-05-21 ·
// ranking-v1 · as of 2026-08-16".
std::string rank_line(const RankLine& line);

}  // namespace ki::display
