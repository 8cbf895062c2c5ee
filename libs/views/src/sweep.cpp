#include "ki/views/sweep.h"

#include "ki/display/labels.h"
#include "ki/resolve/describe.h"

#include <algorithm>
#include <map>
#include <set>

namespace ki::views {
namespace {

using catalog::CaseFacts;
using catalog::NameId;
using catalog::Snapshot;

bool is_same_setting(const Snapshot& s, const catalog::CohortRow& a, const catalog::CohortRow& b) {
  return a.metric == b.metric && a.ranked != 0 && b.ranked != 0 &&
         s.protocols()[a.protocol].digest == s.protocols()[b.protocol].digest &&
         s.environments()[a.environment].digest == s.environments()[b.environment].digest;
}

// The group of a workload that shares everything but the workload with `anchor`; kNone.
Index same_setting(const Snapshot& s, Index workload, const catalog::CohortRow& anchor) {
  for (const Index cohort : s.cohorts_of_workload(workload)) {
    if (is_same_setting(s, s.cohorts()[cohort], anchor)) return cohort;
  }
  return kNone;
}

// The one axis in which two cases of the same axes differ; 0 when they differ in none or several.
NameId only_difference(const CaseFacts& a, const CaseFacts& b) {
  if (a.axes.size() != b.axes.size()) return 0;
  NameId found = 0;
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    if (a.axes[i].name != b.axes[i].name) return 0;
    if (a.axes[i].value == b.axes[i].value) continue;
    if (found != 0) return 0;
    found = a.axes[i].name;
  }
  return found;
}

}  // namespace

std::optional<Sweep> find_sweep(const Snapshot& s, Index cohort) {
  const auto& anchor = s.cohorts()[cohort];
  const auto& anchor_workload = s.workloads()[anchor.workload];
  if (anchor_workload.kind != catalog::WorkloadKind::kCase || anchor.ranked == 0) {
    return std::nullopt;
  }
  CaseFacts anchor_facts, facts;
  s.read_case(anchor_workload, anchor_facts);
  std::map<NameId, std::map<std::int64_t, Index>> groups;  // axis -> value -> group
  for (const Index workload : s.workloads_of_operation(anchor.operation)) {
    const auto& row = s.workloads()[workload];
    if (workload == anchor.workload || row.kind != catalog::WorkloadKind::kCase ||
        row.dtypes != anchor_workload.dtypes || row.correctness != anchor_workload.correctness) {
      continue;
    }
    s.read_case(row, facts);
    const NameId axis = only_difference(anchor_facts, facts);
    if (axis == 0) continue;
    const Index group = same_setting(s, workload, anchor);
    if (group != kNone) groups[axis].emplace(facts.find_axis(axis)->value, group);
  }
  const auto best =
      std::ranges::max_element(groups, {}, [](const auto& entry) { return entry.second.size(); });
  if (best == groups.end() || best->second.size() < 2) return std::nullopt;
  best->second.emplace(anchor_facts.find_axis(best->first)->value, cohort);

  Sweep sweep{.axis = s.name(best->first),
              .cohort = cohort,
              .metric = anchor.metric,
              .series = {},
              .points = best->second.size()};
  std::map<Index, SweepSeries> series;
  for (const auto& [x, group] : best->second) {
    const auto ranked = s.runs_of_cohort(group).first(s.cohorts()[group].ranked);
    for (const Index run : ranked) {  // best first: an implementation's first run is its best
      SweepSeries& line = series[s.runs()[run].implementation];
      if (!line.points.empty() && line.points.back().x == x) continue;
      line.points.push_back({.x = x, .value = s.runs()[run].value, .run = run});
    }
  }
  bool has_long_line = false;
  for (auto& [implementation, line] : series) {
    if (line.points.size() < 2) continue;
    has_long_line = has_long_line || line.points.size() >= 3;
    line.implementation = implementation;
    sweep.series.push_back(std::move(line));
  }
  if (!has_long_line) return std::nullopt;
  std::ranges::sort(sweep.series, [](const SweepSeries& a, const SweepSeries& b) {
    const auto& x = a.points.back();
    const auto& y = b.points.back();
    return x.value != y.value ? x.value < y.value : a.implementation < b.implementation;
  });
  return sweep;
}

void write_json(json::Writer& w, const Snapshot& s, const Sweep& sweep) {
  const catalog::MetricRow& metric = s.metrics()[sweep.metric];
  const catalog::CohortRow& cohort = s.cohorts()[sweep.cohort];
  const std::string statistic(s.name(metric.statistic));
  std::string environment;
  for (const resolve::CohortFact& fact : resolve::cohort_facts(s, sweep.cohort)) {
    if (fact.key == "Workload") continue;
    std::string value(fact.value);
    if (fact.key == "CUDA") value.insert(0, "CUDA ");
    // The statistic stands in metricLabel.
    if (value.ends_with(" · " + statistic)) value.resize(value.size() - statistic.size() - 4);
    if (!environment.empty()) environment += " · ";
    environment += value;
  }
  w.begin_object()
      .member("axis", sweep.axis)
      .member("unit", s.name(metric.unit))
      .member("metricLabel", std::string(s.name(metric.metric)) + " · " + statistic)
      .member("environmentLabel", environment)
      .member("comparisonKey", digest_text(cohort.key))
      .key("series")
      .begin_array();
  const std::size_t shown = std::min(sweep.series.size(), kSweepShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const SweepSeries& line = sweep.series[i];
    w.begin_object().key("implementation");
    write_json(w, named_implementation(s, line.implementation));
    w.key("points").begin_array();
    for (const SweepPoint& point : line.points) {
      w.begin_object()
          .member("x", point.x)
          .member("value", point.value)
          .member("workloadId", id_text(s.workloads()[s.runs()[point.run].workload].id))
          .member("runId", id_text(s.runs()[point.run].id))
          .end_object();
    }
    w.end_array().end_object();
  }
  w.end_array().member("overflow", sweep.series.size() - shown).end_object();
}

}  // namespace ki::views
