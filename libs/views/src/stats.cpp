#include "ki/views/lists.h"

#include <algorithm>

namespace ki::views {

namespace run_flags = catalog::run_flags;

Stats stats(const RecordLedger& ledger) {
  const catalog::Snapshot& s = ledger.snapshot();
  Stats result;
  result.catalog_version = s.seq();
  result.operations = s.operations().size();
  result.workloads = s.workloads().size();
  result.implementations = s.implementations().size();
  result.projects = s.projects().size();
  result.sources = s.sources().size();
  result.runs = s.runs().size();
  result.published_runs = s.columns().runs_newest.size();
  result.models = s.columns().models.size();
  result.serving_runs = s.columns().serving_runs.size();
  result.record_events = ledger.steps().size();
  for (const auto& operation : s.operations()) {
    if (operation.eligible_runs != 0) ++result.measured_operations;
  }
  for (const auto& run : s.runs()) {
    result.last_published_ms = std::max(result.last_published_ms, run.published_ms);
    if ((run.flags & run_flags::kEligible) == 0) continue;
    ++result.eligible_runs;
    ++result.evidence[std::min<std::size_t>(run.evidence, result.evidence.size() - 1)];
  }
  std::vector<bool> is_gpu(s.columns().names.size());
  for (const auto& cohort : s.cohorts()) {
    if (cohort.ranked == 0) continue;
    ++result.groups;
    is_gpu[s.environments()[cohort.environment].product] = true;
  }
  result.gpus = static_cast<std::size_t>(std::ranges::count(is_gpu, true));
  for (const RecordHolder& holder : ledger.holders()) {
    result.breaks += holder.breaks;
    if (holder.steps.count > 1) ++result.contested_groups;
  }
  return result;
}

void write_json(json::Writer& w, const Stats& stats) {
  const auto evidence = [&](policy::EvidenceLevel level) {
    return stats.evidence[static_cast<std::size_t>(level)];
  };
  w.begin_object()
      .member("operations", stats.measured_operations)
      .member("operationsKnown", stats.operations)
      .member("workloads", stats.workloads)
      .member("implementations", stats.implementations)
      .member("projects", stats.projects)
      .member("sources", stats.sources)
      .member("runs", stats.eligible_runs)
      .member("runsPublished", stats.published_runs)
      .member("runsStored", stats.runs)
      .member("groups", stats.groups)
      .member("groupsContested", stats.contested_groups)
      .member("gpus", stats.gpus)
      .member("recordEvents", stats.record_events)
      .member("breaks", stats.breaks)
      .member("servingModels", stats.models)
      .member("servingRuns", stats.serving_runs)
      .key("evidence")
      .begin_object()
      .member("verified", evidence(policy::EvidenceLevel::kVerified) +
                              evidence(policy::EvidenceLevel::kReplicated))
      .member("replicated", evidence(policy::EvidenceLevel::kReplicated))
      .member("reproducible", evidence(policy::EvidenceLevel::kReproducible))
      .member("reported", evidence(policy::EvidenceLevel::kReported))
      .end_object();
  instant_or_null(w, "lastPublishedAt", stats.last_published_ms);
  w.member("catalogVersion", stats.catalog_version).end_object();
}

}  // namespace ki::views
