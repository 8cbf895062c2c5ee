// Who leads a cohort, and when that changed (spec 3.6, 3.7; spec 17 "Breaks"). Lower is better, as
// in ranking-v1. All inputs are the runs of one cohort.
#pragma once

#include "ki/base/instant.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::policy {

// One eligible run with a value. `id` is a view into the caller's storage.
struct RecordRun {
  std::string_view id{};
  double value = 0;
  Instant observed_at{};
};

// A v1 record event; indexes into the runs that were given.
struct RecordEvent {
  std::uint32_t run = 0;
  std::optional<std::uint32_t> previous{};
  bool operator==(const RecordEvent&) const = default;
};

// The strict improvements of the runs in order of (observedAt, id), whatever order they come in.
std::vector<RecordEvent> record_events_v1(std::span<const RecordRun> runs);

// Index of the smallest value; among equal ones the first in order of (observedAt, id). Nothing
// when there is no run.
std::optional<std::uint32_t> find_leader(std::span<const RecordRun> runs);

enum class LeaderCause : std::uint8_t {
  kNewRun,
  kLateObservation,
  kRetraction,
  kSupersession,
  kPolicyChange
};
// "new_run", "late_observation", "retraction", "supersession", "policy_change".
std::string_view to_string(LeaderCause cause);
std::optional<LeaderCause> parse_leader_cause(std::string_view text);

// What happened to the cohort.
enum class LeaderTrigger : std::uint8_t { kPublication, kRetraction, kSupersession, kPolicyChange };

struct Leader {
  std::string run_id{};
  double value = 0;
  Instant observed_at{};
  bool operator==(const Leader&) const = default;
};

// One entry of a cohort's append-only sequence; the store adds seq and policy version.
struct LeaderChange {
  std::optional<Leader> leader{};  // nothing: the cohort has no eligible run left
  std::optional<Leader> previous{};
  LeaderCause cause = LeaderCause::kNewRun;
  Instant at{};          // of a publication: when the leader was observed; of a correction: now
  Instant indexed_at{};  // now
  bool operator==(const LeaderChange&) const = default;
};

// The change from one leader to the next, or nothing when both are the same run.
std::optional<LeaderChange> leader_change(const std::optional<Leader>& previous,
                                          const std::optional<Leader>& current,
                                          LeaderTrigger trigger, Instant now);

// The changes that newly published runs make, taken in order of (observedAt, id): one for each that
// is strictly better than the leader so far. Observed before the leader it displaces:
// late_observation.
std::vector<LeaderChange> leader_changes_of_publication(const std::optional<Leader>& previous,
                                                        std::span<const RecordRun> new_runs,
                                                        Instant now);

// One step of a cohort's leader history, oldest first.
struct BreakStep {
  std::string_view project{};
  double value = 0;
};

enum class StepKind : std::uint8_t {
  kFirst,  // nothing stood before
  kBreak,  // another project, better than the standing record by the threshold or more
  kOwn,    // the holder improves its own record
  kTie,    // another project, but within the threshold of the standing record
};
std::string_view to_string(StepKind kind);

inline constexpr double kBreakMinimum = 0.005;  // 0.5 %

struct JudgedStep {
  StepKind kind = StepKind::kFirst;
  std::optional<std::uint32_t> standing{};  // index of the step whose record stood before
  double improvement = 0;                   // (standing - value) / standing; 0 for the first
  bool operator==(const JudgedStep&) const = default;
};

// Judges each step against the record that stands: a tie leaves it standing, so that many small
// steps add up to a break in the end. `noise_floor` (relative) replaces the 0.5 % where one is
// known.
std::vector<JudgedStep> judge_breaks(std::span<const BreakStep> steps,
                                     std::optional<double> noise_floor = std::nullopt);

}  // namespace ki::policy
