// What a row says of its run, whatever question it answers: answers of the resolver, dossiers and
// lists take it from here (spec 06.2).
#pragma once

#include "ki/base/instant.h"
#include "ki/catalog/snapshot.h"
#include "ki/resolve/answer.h"

#include <cstdint>

namespace ki::resolve {

constexpr std::uint16_t caveat_bit(Caveat caveat) {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(caveat));
}

// Of the code alone: source, licence, baseline.
std::uint16_t code_caveats(const catalog::ImplementationRow& code, bool is_baseline);

// Run, implementation, operation, workload, cohort, environment, metric, value, evidence, age at
// `now` and the caveats of run and code. Not: match, rank, position and mismatches.
void fill_facts(Row& row, const catalog::Snapshot& snapshot, Index run, Instant now,
                bool is_baseline, bool is_illustrative);

// The rank that a ranked run has in its own comparison group, and why (ranking-v1).
void fill_rank(Row& row, const catalog::RunRow& run, const catalog::CohortRow& cohort);

}  // namespace ki::resolve
