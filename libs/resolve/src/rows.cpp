// One row: whether the policy of the request shows it, what it holds, and where it differs.
#include "ki/base/text.h"
#include "ki/policy/evidence.h"
#include "ki/policy/licence.h"
#include "ki/resolve/row_facts.h"
#include "resolution.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace ki::resolve {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

constexpr unsigned bit(Hidden reason) { return 1U << static_cast<unsigned>(reason); }

// Verified and replicated stand on one tier (spec 04.3), so either answers a request for either.
bool meets_trust(query::Trust minimum, policy::EvidenceLevel level) {
  switch (minimum) {
    case query::Trust::kReported:
      return true;
    case query::Trust::kReproducible:
      return level >= policy::EvidenceLevel::kReproducible;
    case query::Trust::kReplicated:
    case query::Trust::kVerified:
      return level >= policy::EvidenceLevel::kVerified;
  }
  return false;
}

}  // namespace

std::uint32_t Resolution::request_limit() const { return std::min(request_.limit, kMaxPageSize); }

bool Resolution::passes_license(catalog::NameId concluded) {
  for (const auto& [known, passes] : scratch_.licenses) {
    if (known == concluded) return passes;
  }
  const auto text = concluded == 0 ? std::nullopt : std::optional(snapshot_.name(concluded));
  const auto matches = [&](const std::string& filter) {
    return policy::matches_licence_filter(filter, text);
  };
  const bool passes = (!intent_->license || matches(*intent_->license)) &&
                      (intent_->allowed_licenses.empty() ||
                       std::ranges::any_of(intent_->allowed_licenses, matches));
  scratch_.licenses.emplace_back(concluded, passes);
  return passes;
}

// Bits of Hidden. A run that nobody made has no evidence; it also has no age.
unsigned Resolution::hidden_by(const catalog::RunRow* run,
                               const catalog::ImplementationRow& implementation) {
  if (!has_policy_) return 0;
  unsigned reasons = 0;
  if (intent_->minimum_trust) {
    const bool is_met = run == nullptr
                            ? *intent_->minimum_trust == query::Trust::kReported
                            : meets_trust(*intent_->minimum_trust,
                                          static_cast<policy::EvidenceLevel>(run->evidence));
    if (!is_met) reasons |= bit(Hidden::kTrust);
  }
  if (intent_->require_source && implementation.source_available == 0)
    reasons |= bit(Hidden::kSource);
  if (intent_->require_installable && implementation.installable == 0)
    reasons |= bit(Hidden::kInstallable);
  if ((intent_->license || !intent_->allowed_licenses.empty()) &&
      !passes_license(implementation.license_concluded)) {
    reasons |= bit(Hidden::kLicense);
  }
  if (intent_->max_age_days && run != nullptr &&
      request_.now.ms - run->observed_ms > std::int64_t{*intent_->max_age_days} * kDayMs) {
    reasons |= bit(Hidden::kAge);
  }
  return reasons;
}

bool Resolution::count_hidden(Group& group, unsigned reasons) {
  if (reasons == 0) return false;
  ++group.hidden;
  for (; reasons != 0; reasons &= reasons - 1)
    ++group.hidden_by[static_cast<std::size_t>(std::countr_zero(reasons))];
  return true;
}

void Resolution::offer(GroupKind kind, Index run, const catalog::RunRow& row) {
  Group& group = answer_.group(kind);
  if (has_policy_ &&
      count_hidden(group, hidden_by(&row, snapshot_.implementations()[row.implementation])))
    return;
  ++group.total;
  if (group.total <= group.offset || is_page_full(group)) return;
  Row& shown = group.rows.emplace_back();
  shown.position = group.total;
  fill_row(shown, kind, run, row);
}

void Resolution::fill_row(Row& row, GroupKind kind, Index run_index, const catalog::RunRow& run) {
  fill_facts(row, snapshot_, run_index, request_.now,
             is_baseline(snapshot_.implementations()[run.implementation]),
             run.source != kNone && resolver_.is_illustrative[run.source] != 0);
  if (kind == GroupKind::kExact) {
    fill_rank(row, run, snapshot_.cohorts()[run.cohort]);
    return;
  }
  row.why = WhyRanked::kNotInGroup;
  row.caveats |=
      caveat_bit(kind == GroupKind::kReported ? Caveat::kOtherCohort : Caveat::kUnranked);
  add_mismatches(row, run);
  row.match =
      kind == GroupKind::kReported && row.mismatches.empty() ? Match::kExact : Match::kCompatible;
}

void Resolution::add_mismatch(std::string_view field, std::string_view requested,
                              std::string_view observed) {
  scratch_.mismatches.push_back({field, requested, observed});
}

// Runs of one cohort and one language and framework share what is listed of them.
void Resolution::add_mismatches(Row& row, const catalog::RunRow& run) {
  const catalog::ImplementationRow& code = snapshot_.implementations()[run.implementation];
  const bool asks_code = scratch_.matcher.has_code_part();
  const KnownMismatches key{.cohort = run.cohort,
                            .language = asks_code ? code.language : 0,
                            .framework = asks_code ? code.framework : 0,
                            .found = {}};
  KnownMismatches& known = scratch_.known_mismatches[run.cohort % kKnownMismatches];
  if (known.cohort != key.cohort || known.language != key.language ||
      known.framework != key.framework) {
    known = key;
    known.found = find_mismatches(run);
  }
  row.mismatches = known.found;
}

std::span<const Mismatch> Resolution::find_mismatches(const catalog::RunRow& run) {
  scratch_.mismatches.clear();
  json::Arena& texts = answer_.texts;
  for (const query::Mismatch& mismatch : scratch_.matcher.mismatches_before_axes(run)) {
    add_mismatch(texts.copy(mismatch.field), texts.copy(mismatch.requested),
                 texts.copy(mismatch.observed));
  }
  const catalog::WorkloadRow& workload = snapshot_.workloads()[run.workload];
  const bool is_other = run.workload != answer_.selected.workload;
  if (is_other || !scratch_.matcher.bound_axes().empty()) {
    snapshot_.read_axes(workload, scratch_.other_case);
  }
  add_axis_mismatches(workload);
  if (const catalog::CohortRow& cohort = snapshot_.cohorts()[run.cohort];
      !meets_objective(cohort)) {
    add_mismatch("metric", *intent_->objective_metric,
                 snapshot_.name(snapshot_.metrics()[cohort.metric].metric));
  }
  if (is_other && answer_.selected.workload != kNone) add_case_differences(run.workload);
  return texts.copy(std::span<const Mismatch>(scratch_.mismatches));
}

// The bound axes of the run's case, as query::mismatches lists them. The snapshot holds no cases of
// suites, so whether one covers the value is not said.
void Resolution::add_axis_mismatches(const catalog::WorkloadRow& workload) {
  const auto bound_axes = scratch_.matcher.bound_axes();
  for (std::size_t i = 0; i < bound_axes.size(); ++i) {
    const Matcher::BoundAxis& bound = bound_axes[i];
    std::string_view observed = "suite aggregate";
    if (workload.kind == catalog::WorkloadKind::kCase) {
      const auto* axis = scratch_.matcher.find_axis(scratch_.other_case, bound);
      if (axis != nullptr && axis->value == bound.asked->value) continue;
      observed = axis == nullptr ? "unknown" : number_text(axis->value);
    }
    if (scratch_.bound_fields.empty()) {
      for (const Matcher::BoundAxis& each : bound_axes) {
        scratch_.bound_fields.push_back(
            {answer_.texts.copy("axes." + each.asked->name), number_text(each.asked->value)});
      }
    }
    add_mismatch(scratch_.bound_fields[i].field, scratch_.bound_fields[i].requested, observed);
  }
}

std::string_view Resolution::number_text(std::int64_t value) {
  NumberText& known = scratch_.numbers[static_cast<std::uint64_t>(value) % kNumberTexts];
  if (known.text.empty() || known.value != value) {
    std::array<char, 24> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    known = {value, answer_.texts.copy(std::string_view(buffer.data(), end))};
  }
  return known.text;
}

std::string_view Resolution::axis_field(catalog::NameId axis) {
  for (const auto& [known, field] : scratch_.axis_fields) {
    if (known == axis) return field;
  }
  const std::string_view field = answer_.texts.copy("axes." + std::string(snapshot_.name(axis)));
  scratch_.axis_fields.emplace_back(axis, field);
  return field;
}

// Of an axis that a shape binds, what all its readings say; else the selected case's value.
std::int64_t Resolution::requested_value(catalog::NameId axis, std::int64_t selected) const {
  if (!intent_->shape) return selected;
  std::optional<std::int64_t> value;
  for (const query::ShapeReading& reading : intent_->shape->readings) {
    const auto bound = std::ranges::find_if(reading.axes, [&](const query::AxisBinding& b) {
      return equals_ignoring_case(b.name, snapshot_.name(axis));
    });
    if (bound == reading.axes.end() || (value && *value != bound->value)) return selected;
    value = bound->value;
  }
  return value.value_or(selected);
}

// How the case of another workload differs from the selected one, where the request's own
// mismatches do not say it already (spec 05.9).
void Resolution::add_case_differences(Index workload) {
  const catalog::WorkloadRow& selected = snapshot_.workloads()[answer_.selected.workload];
  const catalog::WorkloadRow& other = snapshot_.workloads()[workload];
  if (selected.kind != other.kind) {
    const bool is_suite = selected.kind == catalog::WorkloadKind::kSuite;
    const auto is_scope = [](const Mismatch& m) { return m.field == "workload.scope"; };
    if (std::ranges::any_of(scratch_.mismatches, is_scope)) return;
    return add_mismatch("workload.scope", is_suite ? "suite aggregate" : "exact case",
                        is_suite ? "exact case" : "suite aggregate");
  }
  if (selected.kind == catalog::WorkloadKind::kSuite) return;
  const auto& mine = scratch_.selected_case.decoded().axes;
  const auto& theirs = scratch_.other_case.axes;
  // Of a bound axis the request's own mismatch says it already.
  const auto is_bound = [&](catalog::NameId axis) {
    return std::ranges::any_of(scratch_.matcher.bound_axes(),
                               [&](const Matcher::BoundAxis& bound) { return bound.axis == axis; });
  };
  const auto report = [&](catalog::NameId axis, std::string_view requested,
                          std::string_view observed) {
    if (!is_bound(axis)) add_mismatch(axis_field(axis), requested, observed);
  };
  std::size_t i = 0, j = 0;
  while (i < mine.size() || j < theirs.size()) {
    const bool is_same = i < mine.size() && j < theirs.size() && mine[i].name == theirs[j].name;
    if (is_same) {
      if (mine[i].value != theirs[j].value) {
        report(mine[i].name, number_text(requested_value(mine[i].name, mine[i].value)),
               number_text(theirs[j].value));
      }
      ++i;
      ++j;
      continue;
    }
    const bool is_mine =
        j == theirs.size() ||
        (i < mine.size() && snapshot_.name(mine[i].name) < snapshot_.name(theirs[j].name));
    if (is_mine) {
      report(mine[i].name, number_text(mine[i].value), "unknown");
      ++i;
    } else {
      report(theirs[j].name, "unknown", number_text(theirs[j].value));
      ++j;
    }
  }
  // Equal in every other axis, but other dtypes, data or tolerances: another case all the same.
  if (scratch_.mismatches.empty()) {
    const auto short_digest = [&](const catalog::Bytes32& digest) {
      return answer_.texts.copy(Digest(digest).to_string().substr(0, 15));
    };
    add_mismatch("workload.case", short_digest(selected.digest), short_digest(other.digest));
  }
}

}  // namespace ki::resolve
