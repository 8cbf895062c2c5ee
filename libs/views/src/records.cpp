#include "ki/views/records.h"

#include "gpu_filter.h"
#include "ki/resolve/describe.h"
#include "natural.h"
#include "record_filter.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ki::views {
namespace {

using catalog::Snapshot;

std::size_t index_of(RecordPolicy policy) { return static_cast<std::size_t>(policy); }

// Announced changes of a holder.
std::uint32_t changes_of(const RecordHolder& holder, RecordPolicy policy) {
  return policy == RecordPolicy::kBreaks ? holder.breaks : holder.steps.count - 1;
}
bool is_unbeaten_baseline(const RecordHolder& holder, RecordPolicy policy) {
  return holder.is_baseline && changes_of(holder, policy) == 0;
}

// Positions of the operations in the order of their names.
std::vector<std::uint32_t> operation_positions(const Snapshot& s) {
  std::vector<std::string> names(s.operations().size());
  for (Index i = 0; i < names.size(); ++i) names[i] = resolve::operation_name(s, i);
  std::vector<Index> order(names.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) {
    if (natural_less(names[a], names[b])) return true;
    if (natural_less(names[b], names[a])) return false;
    return s.text(s.operations()[a].slug) < s.text(s.operations()[b].slug);
  });
  std::vector<std::uint32_t> positions(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) positions[order[i]] = i;
  return positions;
}

// Holders are in the order of their index: newest indexed first, then key.
void sort_holders(const RecordLedger& ledger, const RecordOptions& options,
                  std::vector<Index>& order) {
  const auto holder = [&](Index i) -> const RecordHolder& { return ledger.holders()[i]; };
  const std::size_t policy = index_of(options.policy);
  switch (options.sort) {
    case RecordSort::kContested: {
      const auto part = [&](Index i) {
        if (changes_of(holder(i), options.policy) != 0) return 0;
        return holder(i).is_baseline ? 2 : 1;
      };
      std::ranges::sort(order, {}, [&](Index i) { return std::tuple(part(i), i); });
      return;
    }
    case RecordSort::kDate:
      return;
    case RecordSort::kImprovement:
      std::ranges::sort(order, {},
                        [&](Index i) { return std::tuple(-holder(i).improvement[policy], i); });
      return;
    case RecordSort::kLeads:
      std::ranges::sort(order, {}, [&](Index i) { return std::tuple(~holder(i).steps.count, i); });
      return;
    case RecordSort::kOperation: {
      const auto positions = operation_positions(ledger.snapshot());
      std::ranges::sort(order, {}, [&](Index i) {
        return std::tuple(positions[ledger.snapshot().cohorts()[holder(i).cohort].operation], i);
      });
      return;
    }
  }
}

RecordEntry entry_of(const RecordLedger& ledger, const RecordHolder& holder, std::size_t i) {
  const Snapshot& s = ledger.snapshot();
  const auto steps = ledger.steps(holder);
  RecordEntry entry{.at_ms = s.events()[steps[i].event].at_ms,
                    .run = steps[i].run,
                    .kind = steps[i].kind,
                    .previous_value = std::nullopt,
                    .improvement_pct = std::nullopt};
  if (i == 0) return entry;
  const double previous = s.runs()[steps[i - 1].run].value;
  entry.previous_value = previous;
  if (previous != 0) {
    entry.improvement_pct = (previous - s.runs()[steps[i].run].value) / previous * 100;
  }
  return entry;
}

RecordItem item_of(const RecordLedger& ledger, const RecordHolder& holder,
                   const RecordOptions& options) {
  const Snapshot& s = ledger.snapshot();
  const auto& cohort = s.cohorts()[holder.cohort];
  RecordItem item;
  item.holder = &holder;
  item.comparison_key = digest_text(cohort.key);
  item.operation = named_operation(s, cohort.operation);
  item.workload_id = id_text(s.workloads()[cohort.workload].id);
  item.workload_summary = resolve::workload_summary(s, cohort.workload);
  item.hardware = s.name(s.environments()[cohort.environment].product);
  item.environment_summary = environment_summary(s, holder.cohort);
  item.history_total = holder.steps.count;
  item.is_unbeaten_baseline = is_unbeaten_baseline(holder, options.policy);
  return item;
}

// One step of a holder; with the newest first.
struct StepPosition {
  Index holder = 0;
  std::uint32_t step = 0;
};

void add_history_page(const RecordLedger& ledger, const RecordOptions& options,
                      const std::vector<Index>& order, RecordPage& page) {
  const Snapshot& s = ledger.snapshot();
  std::vector<StepPosition> positions;
  for (const Index i : order) {
    const RecordHolder& holder = ledger.holders()[i];
    for (std::uint32_t step = 0; step < holder.steps.count; ++step) positions.push_back({i, step});
  }
  page.total = positions.size();
  const auto published = [&](const StepPosition& p) {
    return s.runs()[ledger.steps(ledger.holders()[p.holder])[p.step].run].published_ms;
  };
  const std::size_t begin = std::min(options.offset, positions.size());
  const std::size_t end = begin + std::min(options.limit, positions.size() - begin);
  std::ranges::partial_sort(
      positions, positions.begin() + static_cast<std::ptrdiff_t>(end), {},
      [&](const StepPosition& p) { return std::tuple(-published(p), p.holder, ~p.step); });
  for (std::size_t i = begin; i < end; ++i) {
    const RecordHolder& holder = ledger.holders()[positions[i].holder];
    RecordItem& item = page.items.emplace_back(item_of(ledger, holder, options));
    item.history.push_back(entry_of(ledger, holder, positions[i].step));
  }
}

void add_holder_page(const RecordLedger& ledger, const RecordOptions& options,
                     const std::vector<Index>& order, RecordPage& page) {
  page.total = order.size();
  const std::size_t begin = std::min(options.offset, order.size());
  const std::size_t end = begin + std::min(options.limit, order.size() - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const RecordHolder& holder = ledger.holders()[order[i]];
    RecordItem& item = page.items.emplace_back(item_of(ledger, holder, options));
    for (std::size_t step = holder.steps.count; step-- > 0;) {
      if (item.history.size() == kHistoryShown) break;
      item.history.push_back(entry_of(ledger, holder, step));
    }
  }
}

}  // namespace

std::optional<RecordView> parse_record_view(std::string_view text) {
  if (text == "current") return RecordView::kCurrent;
  if (text == "broken") return RecordView::kBroken;
  if (text == "history") return RecordView::kHistory;
  return std::nullopt;
}

std::optional<RecordSort> parse_record_sort(std::string_view text) {
  if (text == "contested") return RecordSort::kContested;
  if (text == "date") return RecordSort::kDate;
  if (text == "improvement") return RecordSort::kImprovement;
  if (text == "leads") return RecordSort::kLeads;
  if (text == "operation") return RecordSort::kOperation;
  return std::nullopt;
}

RecordPage list_records(const RecordLedger& ledger, const RecordOptions& options, Instant now) {
  const Snapshot& s = ledger.snapshot();
  RecordPage page;
  page.ledger = &ledger;
  page.options = options;
  page.now = now;
  page.holders = ledger.holders().size();
  page.events = ledger.steps().size();
  GpuFilter gpu(s, options.hardware);
  RecordTextFilter text(ledger, options.text);
  std::vector<Index> order;
  for (Index i = 0; i < ledger.holders().size(); ++i) {
    const RecordHolder& holder = ledger.holders()[i];
    page.breaks += holder.breaks;
    if (holder.is_verified) ++page.verified;
    if (!gpu.passes_cohort(holder.cohort)) continue;
    const bool is_baseline = is_unbeaten_baseline(holder, options.policy);
    // Counted among what the GPU filter leaves, whatever else is asked for.
    if (is_baseline) ++page.baselines;
    const bool is_shown =
        (options.operation == kNone || s.cohorts()[holder.cohort].operation == options.operation) &&
        (options.project == kNone ||
         s.implementations()[s.runs()[holder.run].implementation].project == options.project) &&
        (options.with_sourceless || holder.has_source) &&
        (options.with_baselines || !is_baseline) &&
        (!options.only_verified || holder.is_verified) &&
        (options.since_ms == 0 || holder.since_ms >= options.since_ms) &&
        (options.view != RecordView::kBroken || changes_of(holder, options.policy) != 0) &&
        text.passes(holder);
    if (is_shown) order.push_back(i);
  }
  if (options.view == RecordView::kHistory) {
    add_history_page(ledger, options, order, page);
  } else {
    sort_holders(ledger, options, order);
    add_holder_page(ledger, options, order, page);
  }
  return page;
}

}  // namespace ki::views
