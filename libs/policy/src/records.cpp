#include "ki/policy/records.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace ki::policy {
namespace {

// Indexes of the runs by (observedAt, id).
std::vector<std::uint32_t> in_order(std::span<const RecordRun> runs) {
  std::vector<std::uint32_t> order(runs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if (runs[a].observed_at != runs[b].observed_at)
      return runs[a].observed_at < runs[b].observed_at;
    return runs[a].id < runs[b].id;
  });
  return order;
}

Leader leader_of(const RecordRun& run) {
  return {.run_id = std::string(run.id), .value = run.value, .observed_at = run.observed_at};
}

LeaderCause cause_of(const std::optional<Leader>& previous, const std::optional<Leader>& current,
                     LeaderTrigger trigger) {
  switch (trigger) {
    case LeaderTrigger::kPublication: {
      const bool is_late = previous && current && current->observed_at < previous->observed_at;
      return is_late ? LeaderCause::kLateObservation : LeaderCause::kNewRun;
    }
    case LeaderTrigger::kRetraction:
      return LeaderCause::kRetraction;
    case LeaderTrigger::kSupersession:
      return LeaderCause::kSupersession;
    case LeaderTrigger::kPolicyChange:
      return LeaderCause::kPolicyChange;
  }
  return LeaderCause::kNewRun;
}

}  // namespace

std::vector<RecordEvent> record_events_v1(std::span<const RecordRun> runs) {
  std::vector<RecordEvent> events;
  std::optional<std::uint32_t> best;
  for (const std::uint32_t i : in_order(runs)) {
    if (best && !(runs[i].value < runs[*best].value)) continue;
    events.push_back({.run = i, .previous = best});
    best = i;
  }
  return events;
}

std::optional<std::uint32_t> find_leader(std::span<const RecordRun> runs) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < runs.size(); ++i) {
    if (!best) {
      best = i;
      continue;
    }
    const RecordRun& run = runs[i];
    const RecordRun& leader = runs[*best];
    if (run.value != leader.value) {
      if (run.value < leader.value) best = i;
    } else if (run.observed_at != leader.observed_at) {
      if (run.observed_at < leader.observed_at) best = i;
    } else if (run.id < leader.id) {
      best = i;
    }
  }
  return best;
}

std::string_view to_string(LeaderCause cause) {
  switch (cause) {
    case LeaderCause::kNewRun:
      return "new_run";
    case LeaderCause::kLateObservation:
      return "late_observation";
    case LeaderCause::kRetraction:
      return "retraction";
    case LeaderCause::kSupersession:
      return "supersession";
    case LeaderCause::kPolicyChange:
      return "policy_change";
  }
  return "";
}

std::optional<LeaderCause> parse_leader_cause(std::string_view text) {
  for (const LeaderCause cause :
       {LeaderCause::kNewRun, LeaderCause::kLateObservation, LeaderCause::kRetraction,
        LeaderCause::kSupersession, LeaderCause::kPolicyChange}) {
    if (to_string(cause) == text) return cause;
  }
  return std::nullopt;
}

std::optional<LeaderChange> leader_change(const std::optional<Leader>& previous,
                                          const std::optional<Leader>& current,
                                          LeaderTrigger trigger, Instant now) {
  const bool is_same = previous.has_value() == current.has_value() &&
                       (!previous || previous->run_id == current->run_id);
  if (is_same) return std::nullopt;
  const bool is_observation = trigger == LeaderTrigger::kPublication && current;
  return LeaderChange{.leader = current,
                      .previous = previous,
                      .cause = cause_of(previous, current, trigger),
                      .at = is_observation ? current->observed_at : now,
                      .indexed_at = now};
}

std::vector<LeaderChange> leader_changes_of_publication(const std::optional<Leader>& previous,
                                                        std::span<const RecordRun> new_runs,
                                                        Instant now) {
  std::vector<LeaderChange> changes;
  std::optional<Leader> leader = previous;
  for (const std::uint32_t i : in_order(new_runs)) {
    if (leader && !(new_runs[i].value < leader->value)) continue;
    const std::optional<Leader> next = leader_of(new_runs[i]);
    if (auto change = leader_change(leader, next, LeaderTrigger::kPublication, now)) {
      changes.push_back(*std::move(change));
    }
    leader = next;
  }
  return changes;
}

std::string_view to_string(StepKind kind) {
  switch (kind) {
    case StepKind::kFirst:
      return "first";
    case StepKind::kBreak:
      return "break";
    case StepKind::kOwn:
      return "own";
    case StepKind::kTie:
      return "tie";
  }
  return "";
}

std::vector<JudgedStep> judge_breaks(std::span<const BreakStep> steps,
                                     std::optional<double> noise_floor) {
  const double threshold = noise_floor.value_or(kBreakMinimum);
  std::vector<JudgedStep> judged;
  std::optional<std::uint32_t> standing;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    if (!standing) {
      judged.push_back({.kind = StepKind::kFirst});
      standing = i;
      continue;
    }
    const BreakStep& record = steps[*standing];
    const double gain = record.value - steps[i].value;
    JudgedStep step{.kind = StepKind::kTie,
                    .standing = standing,
                    .improvement = record.value > 0 ? gain / record.value : 0};
    if (steps[i].project == record.project) {
      step.kind = StepKind::kOwn;
      if (gain > 0) standing = i;
    } else if (gain > 0 && step.improvement >= threshold) {
      step.kind = StepKind::kBreak;
      standing = i;
    }
    judged.push_back(step);
  }
  return judged;
}

}  // namespace ki::policy
