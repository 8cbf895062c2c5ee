#include "state.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace ki::resolve {
namespace {

// Workloads by what a request for dtypes can see of them.
class DtypeClasses {
 public:
  DtypeClasses(const catalog::Snapshot& snapshot, std::vector<Index>& classes)
      : snapshot_(snapshot), classes_(classes) {}

  std::uint32_t of(Index workload) {
    const catalog::WorkloadRow& row = snapshot_.workloads()[workload];
    if (row.kind == catalog::WorkloadKind::kCase) {
      return add(cases_.try_emplace(row.dtypes, 0), workload);
    }
    operation_dtypes(snapshot_, row.operation, dtypes_);
    std::string key;
    for (const std::string_view dtype : dtypes_) key.append(dtype).append("/");
    return add(suites_.try_emplace(std::move(key), 0), workload);
  }

 private:
  template <class Inserted>
  std::uint32_t add(const Inserted& inserted, Index workload) {
    if (inserted.second) {
      inserted.first->second = static_cast<std::uint32_t>(classes_.size());
      classes_.push_back(workload);
    }
    return inserted.first->second;
  }

  const catalog::Snapshot& snapshot_;
  std::vector<Index>& classes_;
  std::unordered_map<catalog::NameId, std::uint32_t> cases_;
  std::unordered_map<std::string, std::uint32_t> suites_;
  std::vector<std::string_view> dtypes_;
};

}  // namespace

EvidenceTable::EvidenceTable(const catalog::Snapshot& snapshot) {
  DtypeClasses classes(snapshot, dtype_classes_);
  starts_.reserve(snapshot.operations().size() + 1);
  for (Index operation = 0; operation < snapshot.operations().size(); ++operation) {
    const std::size_t start = entries_.size();
    starts_.push_back(static_cast<std::uint32_t>(start));
    for (const Index index : snapshot.cohorts_of_operation(operation)) {
      const catalog::CohortRow& cohort = snapshot.cohorts()[index];
      if (cohort.ranked == 0) break;  // ordered by ranked runs
      const Index head = snapshot.runs_of_cohort(index).front();
      Evidence evidence{.environment = cohort.environment,
                        .dtypes = classes.of(cohort.workload),
                        .metric = cohort.metric,
                        .runs = cohort.ranked,
                        .best = head,
                        .value = snapshot.runs()[head].value};
      const auto same = std::find_if(entries_.begin() + static_cast<std::ptrdiff_t>(start),
                                     entries_.end(), [&](const Evidence& e) {
                                       return e.environment == evidence.environment &&
                                              e.dtypes == evidence.dtypes &&
                                              e.metric == evidence.metric;
                                     });
      if (same == entries_.end()) {
        entries_.push_back(evidence);
        continue;
      }
      same->runs += evidence.runs;
      if (evidence.value < same->value) {
        same->value = evidence.value;
        same->best = evidence.best;
      }
    }
  }
  starts_.push_back(static_cast<std::uint32_t>(entries_.size()));
}

}  // namespace ki::resolve
