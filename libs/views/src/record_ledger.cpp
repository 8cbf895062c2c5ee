#include "ki/views/records.h"
#include "leaders.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace ki::views {
namespace {

using catalog::NameId;
using catalog::Snapshot;
namespace run_flags = catalog::run_flags;

constexpr std::int64_t kDayMs = 86'400'000;

std::int64_t day_of(std::int64_t ms) {
  return ms >= 0 ? ms / kDayMs : -((kDayMs - 1 - ms) / kDayMs);
}

float share(double previous, double value) {
  return previous > 0 ? static_cast<float>((previous - value) / previous) : 0.0F;
}

// The batches of imports: linear in runs, but for the sets of operations and GPUs of each.
class BatchCounter {
 public:
  explicit BatchCounter(const Snapshot& snapshot) : s_(snapshot) {}

  void count(Index index) {
    const auto& run = s_.runs()[index];
    if ((run.flags & run_flags::kPublished) == 0) return;
    Tally& tally = tally_of(run.source, day_of(run.published_ms));
    ++tally.batch.runs;
    tally.batch.latest_ms = std::max(tally.batch.latest_ms, run.published_ms);
    const auto& cohort = s_.cohorts()[run.cohort];
    tally.operations[cohort.operation] = true;
    const NameId product = s_.environments()[cohort.environment].product;
    auto& hardware = tally.batch.hardware;
    if (std::ranges::find(hardware, product) == hardware.end()) hardware.push_back(product);
  }

  void count_first_record(const catalog::RunRow& run) {
    if (run.published_ms == 0) return;
    ++tally_of(run.source, day_of(run.published_ms)).batch.first_records;
  }

  std::vector<ImportBatch> finish() && {
    std::vector<ImportBatch> batches;
    for (auto& [key, tally] : tallies_) {
      tally.batch.operations =
          static_cast<std::uint32_t>(std::ranges::count(tally.operations, true));
      std::ranges::sort(tally.batch.hardware,
                        [&](NameId a, NameId b) { return s_.name(a) < s_.name(b); });
      batches.push_back(std::move(tally.batch));
    }
    std::ranges::sort(batches, [](const ImportBatch& a, const ImportBatch& b) {
      return std::tie(b.latest_ms, b.day, a.source) < std::tie(a.latest_ms, a.day, b.source);
    });
    return batches;
  }

 private:
  struct Tally {
    ImportBatch batch;
    std::vector<bool> operations;
  };
  // Runs come in long stretches of one source and day.
  Tally& tally_of(Index source, std::int64_t day) {
    if (last_ != nullptr && last_->batch.source == source && last_->batch.day == day) {
      return *last_;
    }
    Tally& tally = tallies_[{source, day}];
    if (tally.operations.empty()) {
      tally.operations.resize(s_.operations().size());
      tally.batch.source = source;
      tally.batch.day = day;
    }
    last_ = &tally;
    return tally;
  }

  const Snapshot& s_;
  std::map<std::pair<Index, std::int64_t>, Tally> tallies_;
  Tally* last_ = nullptr;
};

}  // namespace

std::string_view to_string(RecordPolicy policy) {
  return policy == RecordPolicy::kBreaks ? "breaks" : "ranking-v1";
}

std::optional<RecordPolicy> parse_record_policy(std::string_view text) {
  for (const RecordPolicy policy : {RecordPolicy::kBreaks, RecordPolicy::kRankingV1}) {
    if (to_string(policy) == text) return policy;
  }
  return std::nullopt;
}

RecordLedger::RecordLedger(const Snapshot& snapshot)
    : snapshot_(&snapshot), holder_of_cohort_(snapshot.cohorts().size(), kNone) {
  const Snapshot& s = snapshot;
  const auto baseline = s.find_name("baseline");
  BatchCounter batches(s);
  for (Index i = 0; i < s.runs().size(); ++i) batches.count(i);

  std::vector<Index> events;
  std::vector<policy::BreakStep> shown;
  std::vector<bool> has_record(s.operations().size());
  for (Index k = 0; k < s.cohorts().size(); ++k) {
    const auto& cohort = s.cohorts()[k];
    if (cohort.ranked == 0) continue;
    RecordHolder holder;
    holder.cohort = k;
    holder.steps.first = static_cast<std::uint32_t>(steps_.size());
    shown.clear();
    visible_events(s, k, events);
    for (const Index event : events) {
      const Index run = s.events()[event].run;
      const auto& code = s.implementations()[s.runs()[run].implementation];
      shown.push_back({s.text(s.projects()[code.project].slug), s.runs()[run].value});
      RecordStep& step = steps_.emplace_back();
      step.event = event;
      step.run = run;
      if (shown.size() == 1) batches.count_first_record(s.runs()[run]);
    }
    holder.steps.count = static_cast<std::uint32_t>(steps_.size()) - holder.steps.first;
    if (holder.steps.count == 0) continue;
    const auto steps = std::span(steps_).subspan(holder.steps.first);
    if (steps.size() > 1) {
      const std::vector<policy::JudgedStep> judged = policy::judge_breaks(shown);
      for (std::size_t i = 1; i < steps.size(); ++i) {
        steps[i].kind = judged[i].kind;
        steps[i].standing = holder.steps.first + judged[i].standing.value_or(0);
        steps[i].break_improvement = static_cast<float>(judged[i].improvement);
        steps[i].improvement = share(shown[i - 1].value, shown[i].value);
        holder.improvement[static_cast<std::size_t>(RecordPolicy::kRankingV1)] =
            steps[i].improvement;
        if (judged[i].kind != policy::StepKind::kBreak) continue;
        ++holder.breaks;
        holder.improvement[static_cast<std::size_t>(RecordPolicy::kBreaks)] =
            steps[i].break_improvement;
      }
    }
    const RecordStep& last = steps.back();
    const auto& run = s.runs()[last.run];
    const auto& code = s.implementations()[run.implementation];
    holder.run = last.run;
    holder.since_ms = s.events()[last.event].at_ms;
    holder.indexed_ms = run.published_ms;
    holder.is_baseline = baseline && code.role == *baseline;
    holder.has_source = code.source_available != 0;
    holder.is_verified =
        static_cast<policy::EvidenceLevel>(run.evidence) >= policy::EvidenceLevel::kVerified;
    has_record[cohort.operation] = true;
    holders_.push_back(holder);
  }
  operations_ = static_cast<std::uint32_t>(std::ranges::count(has_record, true));
  std::ranges::sort(holders_, [&](const RecordHolder& a, const RecordHolder& b) {
    if (a.indexed_ms != b.indexed_ms) return a.indexed_ms > b.indexed_ms;
    return s.cohorts()[a.cohort].key < s.cohorts()[b.cohort].key;
  });

  std::vector<bool> is_seen(s.columns().names.size());
  for (Index i = 0; i < holders_.size(); ++i) {
    const Index cohort = holders_[i].cohort;
    holder_of_cohort_[cohort] = i;
    const NameId product = s.environments()[s.cohorts()[cohort].environment].product;
    if (is_seen[product]) continue;
    is_seen[product] = true;
    hardware_.push_back(s.name(product));
  }

  for (const RecordHolder& holder : holders_) {
    for (std::uint32_t i = 1; i < holder.steps.count; ++i) {
      changes_.push_back(holder.steps.first + i);
    }
  }
  std::ranges::sort(changes_, [&](std::uint32_t a, std::uint32_t b) {
    const auto& x = s.runs()[steps_[a].run];
    const auto& y = s.runs()[steps_[b].run];
    return std::tie(y.published_ms, y.id, b) < std::tie(x.published_ms, x.id, a);
  });
  batches_ = std::move(batches).finish();
}

}  // namespace ki::views
