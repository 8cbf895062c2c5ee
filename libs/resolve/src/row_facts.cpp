#include "ki/resolve/row_facts.h"

#include "ki/policy/evidence.h"

namespace ki::resolve {

using namespace catalog::run_flags;

std::uint16_t code_caveats(const catalog::ImplementationRow& code, bool is_baseline) {
  std::uint16_t caveats = 0;
  if (code.source_available == 0) caveats |= caveat_bit(Caveat::kNoPublicSource);
  if (code.license_concluded == 0) caveats |= caveat_bit(Caveat::kLicenseUnknown);
  if (is_baseline) caveats |= caveat_bit(Caveat::kBaseline);
  return caveats;
}

void fill_facts(Row& row, const catalog::Snapshot& snapshot, Index run, Instant now,
                bool is_baseline, bool is_illustrative) {
  const catalog::RunRow& of = snapshot.runs()[run];
  const catalog::CohortRow& cohort = snapshot.cohorts()[of.cohort];
  row.run = run;
  row.implementation = of.implementation;
  row.operation = cohort.operation;
  row.workload = of.workload;
  row.cohort = of.cohort;
  row.environment = cohort.environment;
  row.metric = cohort.metric;
  row.value = of.value;
  row.evidence = static_cast<policy::EvidenceLevel>(of.evidence);
  row.is_stale = policy::is_stale(Instant{of.observed_ms}, now);
  row.is_baseline = is_baseline;
  row.caveats = code_caveats(snapshot.implementations()[of.implementation], is_baseline);
  if (is_illustrative) row.caveats |= caveat_bit(Caveat::kIllustrativeSource);
  if ((of.flags & kReproducedHere) == 0 && of.replications == 0)
    row.caveats |= caveat_bit(Caveat::kNotReproduced);
  if ((of.flags & kOperationMismatch) != 0) row.caveats |= caveat_bit(Caveat::kOperationMismatch);
}

void fill_rank(Row& row, const catalog::RunRow& run, const catalog::CohortRow& cohort) {
  row.match = Match::kExact;
  row.rank = run.rank;
  row.cohort_size = cohort.ranked;
  row.is_tied_with_previous = (run.flags & kTiedWithPrevious) != 0;
  row.why = row.is_tied_with_previous ? WhyRanked::kTied
            : run.rank == 1           ? WhyRanked::kLowestValue
                                      : WhyRanked::kByValue;
}

}  // namespace ki::resolve
