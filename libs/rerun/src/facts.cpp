#include "ki/rerun/facts.h"

#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/stats/geometric_mean.h"
#include "members.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ki::rerun {
namespace {

using json::Value;

}  // namespace

policy::VerifiedCpuFacts facts_of(const harness::Record& record, policy::HostClass host) {
  KI_CHECK(record.cases.size() == 1);
  const harness::CaseResult& one = record.cases.front();
  policy::VerifiedCpuFacts out;
  out.is_built_from_named_source = record.is_built && !record.was_cancelled && !record.is_quick;
  out.is_strict_passed = one.strict.status == problem::Status::kPassed &&
                         record.held_out.status == problem::Status::kPassed;
  if (one.timing) out.timed_calls = one.samples.size() * one.timing->calls_a_sample;
  out.timed_calls_checked =
      static_cast<std::uint64_t>(std::ranges::count_if(one.calls, [](const auto& call) {
        return call.phase == judge::Phase::kTimed && call.reason == judge::Reason::kNone;
      }));
  out.isolation = sandbox::to_string(record.isolation);
  out.flags = one.flags;
  std::set<std::uint32_t> processes;
  for (const harness::Sample& sample : one.samples) {
    if (!sample.rejected) processes.insert(sample.process);
    out.samples_rejected += sample.rejected ? 1 : 0;
  }
  out.processes = static_cast<std::uint32_t>(processes.size());
  out.samples = one.samples.size();
  // The sentinel that moved most stands for all.
  double widest = -1;
  for (const measure::SentinelReading& before : record.sentinels_before) {
    const auto after =
        std::ranges::find(record.sentinels_after, before.name, &measure::SentinelReading::name);
    const bool is_known = after != record.sentinels_after.end() && before.nanoseconds > 0;
    const double apart =
        is_known ? std::abs(after->nanoseconds / before.nanoseconds - 1) : HUGE_VAL;
    if (!(apart > widest)) continue;
    widest = apart;
    out.sentinel_before = before.nanoseconds;
    out.sentinel_after = is_known ? std::optional(after->nanoseconds) : std::nullopt;
  }
  out.host = host;
  out.half_width = one.timing ? one.timing->half_width() : 1;
  return out;
}

std::string difference(const Value& spec, const Value& manifest,
                       std::span<const harness::Record> records) {
  const Value* workload_spec = at(&manifest, {"spec"});
  if (text_at(&manifest, {"kind"}) == "WorkloadSuite") {
    std::set<std::string, std::less<>> wanted, found;
    const Value* cases = at(workload_spec, {"cases"});
    if (cases != nullptr && cases->is_array()) {
      for (const Value& one : cases->items()) wanted.emplace(text_at(&one, {"externalId"}));
    }
    std::vector<double> medians;
    for (const harness::Record& record : records) {
      found.insert(record.cases.front().uuid);
      if (record.cases.front().timing) medians.push_back(record.cases.front().timing->median);
    }
    if (wanted != found || medians.size() != wanted.size())
      return "the records are not those of the suite's cases";
    const auto mean = stats::geometric_mean(medians);
    const Value* measurements = at(&spec, {"measurements"});
    const Value* value =
        measurements != nullptr && measurements->is_array() && measurements->items().size() == 1
            ? at(&measurements->items().front(), {"value"})
            : nullptr;
    if (!mean || value == nullptr || !value->is_number() || value->number() != *mean)
      return "the published mean is not that of the records";
    return {};
  }
  if (records.size() != 1) return "a run of one case rests on one record";
  const harness::CaseResult& one = records.front().cases.front();
  if (const Value* axes = at(workload_spec, {"axes"}); axes != nullptr && axes->is_object()) {
    for (const json::Member& axis : axes->members()) {
      const auto known = std::ranges::find_if(
          one.axes, [&](const auto& a) { return ascii_lower(a.name) == axis.key; });
      if (known == one.axes.end() || axis.value.integer() != known->value)
        return "the record is of other sizes than the run's workload";
    }
  }
  const Value* latency = at(&spec, {"timing", "latencyNs"});
  if (one.timing.has_value() != (latency != nullptr))
    return "the run and its record do not agree that it was timed";
  if (!one.timing) return {};
  const Value* interval = at(latency, {"confidence95"});
  const auto number = [](const Value* v) { return v != nullptr ? v->integer() : std::nullopt; };
  const bool is_same = number(at(latency, {"median"})) == std::llround(one.timing->median) &&
                       interval != nullptr && interval->is_array() &&
                       interval->items().size() == 2 &&
                       number(&interval->items()[0]) == std::llround(std::floor(one.timing->low)) &&
                       number(&interval->items()[1]) == std::llround(std::ceil(one.timing->high));
  return is_same ? std::string() : std::string("the published times are not those of the record");
}

policy::VerifiedCpu verified_by_all(std::span<const policy::VerifiedCpuFacts> facts) {
  KI_CHECK(!facts.empty());
  policy::VerifiedCpu out = policy::verified_cpu_v1(facts.front());
  if (facts.size() == 1) return out;
  for (std::size_t i = 1; i < facts.size(); ++i) {
    const policy::VerifiedCpu next = policy::verified_cpu_v1(facts[i]);
    for (std::size_t k = 0; k < out.clauses.size(); ++k) {
      if (out.clauses[k].holds && !next.clauses[k].holds) out.clauses[k] = next.clauses[k];
    }
    if (!next.is_verified) out.label.clear();
    out.is_verified = out.is_verified && next.is_verified;
  }
  for (policy::VerifiedClause& clause : out.clauses) {
    clause.text = clause.holds ? fmt::format("holds for each of {} cases", facts.size())
                               : "of a case: " + clause.text;
  }
  return out;
}

}  // namespace ki::rerun
