// The four groups of an answer (spec 05.9), counted whole and shown a page at a time.
#include "ki/resolve/row_facts.h"
#include "resolution.h"
#include "run_facts.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace ki::resolve {
namespace {

using namespace catalog::run_flags;

constexpr std::size_t kMaxExcluded = 50;

}  // namespace

void Resolution::group_runs() {
  for (std::size_t kind = 0; kind < kGroupKinds; ++kind)
    answer_.groups[kind].offset = request_.offsets[kind];
  if (answer_.selected.workload != kNone)
    scratch_.selected_case.load(snapshot_, answer_.selected.workload);
  scratch_.axis_fields.clear();
  scratch_.bound_fields.clear();
  scratch_.known_mismatches.fill({});
  scratch_.numbers.fill({});
  if (answer_.selected.cohort != kNone) {
    add_exact_and_mismatched();
    pick_best();
  }
  add_other_workloads();
  add_other_cohorts();
  add_unmeasured();
}

bool Resolution::cohort_matches(Index cohort) {
  const catalog::CohortRow& row = snapshot_.cohorts()[cohort];
  return meets_objective(row) && scratch_.matcher.cohort_matches(row);
}

bool Resolution::meets_objective(const catalog::CohortRow& cohort) const {
  return !intent_->objective_metric ||
         snapshot_.name(snapshot_.metrics()[cohort.metric].metric) == *intent_->objective_metric;
}

void Resolution::add_exact_and_mismatched() {
  const Index cohort = answer_.selected.cohort;
  const auto runs = snapshot_.runs_of_cohort(cohort).first(snapshot_.cohorts()[cohort].ranked);
  const bool is_match = cohort_matches(cohort);
  const auto kind_of = [&](const catalog::RunRow& row) {
    const bool is_exact =
        is_match &&
        (!scratch_.matcher.has_code_part() ||
         scratch_.matcher.code_matches(snapshot_.implementations()[row.implementation]));
    return is_exact ? GroupKind::kExact : GroupKind::kCompatible;
  };
  const bool counts_itself = has_policy_ || scratch_.matcher.has_code_part();
  const GroupKind only_kind = is_match ? GroupKind::kExact : GroupKind::kCompatible;
  for (const Index run : runs) {
    const catalog::RunRow& row = snapshot_.runs()[run];
    offer(counts_itself ? kind_of(row) : only_kind, run, row);
    if (!counts_itself && is_page_full(answer_.group(only_kind))) break;
  }
  if (!counts_itself) answer_.group(only_kind).total = static_cast<std::uint32_t>(runs.size());
}

// The first exact row that somebody else confirmed, and the first that can be installed.
void Resolution::pick_best() {
  const Index cohort = answer_.selected.cohort;
  if ((!resolver_.has_verified && !resolver_.has_installable) || !cohort_matches(cohort)) return;
  for (const Index run :
       snapshot_.runs_of_cohort(cohort).first(snapshot_.cohorts()[cohort].ranked)) {
    const catalog::RunRow& row = snapshot_.runs()[run];
    const catalog::ImplementationRow& code = snapshot_.implementations()[row.implementation];
    if (!scratch_.matcher.code_matches(code) || hidden_by(&row, code) != 0) continue;
    const auto take = [&](std::optional<Row>& best) {
      if (!best) fill_row(best.emplace(), GroupKind::kExact, run, row);
    };
    if (row.evidence >= static_cast<std::uint8_t>(policy::EvidenceLevel::kVerified))
      take(answer_.best_verified);
    const bool is_deployable =
        code.source_available != 0 && code.installable != 0 && code.license_concluded != 0;
    if (is_deployable) take(answer_.best_deployable);
    if (answer_.best_verified && answer_.best_deployable) return;
  }
}

// Runs of other workloads, fastest first.
void Resolution::add_other_workloads() {
  const Index selected = answer_.selected.workload;
  Group& group = answer_.group(GroupKind::kCompatible);
  const std::uint32_t before = group.total;
  const std::uint32_t own = selected == kNone ? 0 : snapshot_.workloads()[selected].eligible_runs;
  const std::uint32_t others = snapshot_.operations()[operation_].eligible_runs - own;
  std::uint32_t seen = 0;
  for (const Index run : snapshot_.runs_of_operation(operation_)) {
    if (seen == others) break;
    const catalog::RunRow& row = snapshot_.runs()[run];
    if (row.workload == selected) continue;
    if (!has_policy_ && is_page_full(group)) break;
    ++seen;
    offer(GroupKind::kCompatible, run, row);
  }
  if (!has_policy_) group.total = before + others;
}

// Runs of the selected workload in its other cohorts, fastest first: a merge of their rank orders.
void Resolution::add_other_cohorts() {
  const Selected& selected = answer_.selected;
  if (selected.workload == kNone) return;
  const auto cohorts = snapshot_.cohorts_of_workload(selected.workload);
  Group& group = answer_.group(GroupKind::kReported);
  const std::uint32_t own =
      selected.cohort == kNone ? 0 : snapshot_.cohorts()[selected.cohort].ranked;
  const std::uint32_t others = snapshot_.workloads()[selected.workload].eligible_runs - own;
  if (others == 0) return;
  auto& heads = scratch_.heads;
  heads.assign(cohorts.size(), 0);
  for (std::uint32_t seen = 0; seen < others; ++seen) {
    if (!has_policy_ && is_page_full(group)) break;
    Index best = kNone;
    std::size_t best_at = 0;
    for (std::size_t i = 0; i < cohorts.size(); ++i) {
      if (cohorts[i] == selected.cohort || heads[i] == snapshot_.cohorts()[cohorts[i]].ranked)
        continue;
      const Index run = snapshot_.runs_of_cohort(cohorts[i])[heads[i]];
      const catalog::RunRow& row = snapshot_.runs()[run];
      const auto comes_before = [&](const catalog::RunRow& other) {
        return std::tie(row.value, row.observed_ms, row.id) <
               std::tie(other.value, other.observed_ms, other.id);
      };
      if (best == kNone || comes_before(snapshot_.runs()[best])) {
        best = run;
        best_at = i;
      }
    }
    if (best == kNone) break;
    ++heads[best_at];
    offer(GroupKind::kReported, best, snapshot_.runs()[best]);
  }
  if (!has_policy_) group.total = others;
}

// Implementations of the operation that no considered run is of.
void Resolution::add_unmeasured() {
  Group& group = answer_.group(GroupKind::kSupportedUnmeasured);
  for (const Index implementation : snapshot_.implementations_of_operation(operation_)) {
    const catalog::ImplementationRow& code = snapshot_.implementations()[implementation];
    const bool is_measured =
        code.eligible_runs > 0 &&
        !std::ranges::binary_search(resolver_.measured_elsewhere, implementation);
    if (is_measured) continue;
    if (count_hidden(group, hidden_by(nullptr, code))) continue;
    ++group.total;
    if (group.total <= group.offset || is_page_full(group)) continue;
    Row& row = group.rows.emplace_back();
    row.implementation = implementation;
    row.operation = operation_;
    row.value = std::numeric_limits<double>::quiet_NaN();
    row.match = Match::kSupportedUnobserved;
    row.position = group.total;
    row.is_baseline = is_baseline(code);
    row.caveats = code_caveats(code, row.is_baseline) | caveat_bit(Caveat::kDeclaredOnly);
    scratch_.mismatches.clear();
    if (!scratch_.matcher.code_matches(code)) {
      const auto differs = [&](std::string_view field, const std::optional<std::string>& asked,
                               catalog::NameId is) {
        if (asked && *asked != snapshot_.name(is))
          add_mismatch(field, *asked, is == 0 ? "unknown" : snapshot_.name(is));
      };
      differs("framework", intent_->framework, code.framework);
      differs("language", intent_->language, code.language);
    }
    row.mismatches = answer_.texts.copy(std::span<const Mismatch>(scratch_.mismatches));
  }
}

void Resolution::list_excluded() {
  if (answer_.selected.workload == kNone) return;
  std::vector<std::string_view> reasons;
  for (const Index index : snapshot_.cohorts_of_workload(answer_.selected.workload)) {
    const catalog::CohortRow& cohort = snapshot_.cohorts()[index];
    for (const Index run : snapshot_.runs_of_cohort(index).subspan(cohort.ranked)) {
      const catalog::RunRow& row = snapshot_.runs()[run];
      if ((row.flags & kPublished) == 0) continue;
      ++answer_.excluded_total;
      if (answer_.excluded.size() == kMaxExcluded) continue;
      const auto codes = policy::eligibility_v1(run_facts(row));
      reasons.clear();
      for (const std::string& code : codes) reasons.push_back(answer_.texts.copy(code));
      answer_.excluded.push_back(
          {run, answer_.texts.copy(std::span<const std::string_view>(reasons))});
    }
  }
}

void Resolution::collect_sources() {
  for (const Group& group : answer_.groups) {
    for (const Row& row : group.rows) {
      if (row.run == kNone) continue;
      const Index source = snapshot_.runs()[row.run].source;
      if (source != kNone && std::ranges::find(answer_.sources, source) == answer_.sources.end()) {
        answer_.sources.push_back(source);
      }
    }
  }
}

}  // namespace ki::resolve
