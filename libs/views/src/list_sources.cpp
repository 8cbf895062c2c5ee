#include "ki/views/lists.h"
#include "stored.h"
#include "tally.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ki::views {
namespace {

using catalog::Snapshot;
namespace run_flags = catalog::run_flags;

struct Tally {
  std::uint32_t runs = 0;
  std::uint32_t indexed = 0;
  SmallSet operations, hardware;
  std::uint32_t serving_runs = 0;
  std::uint32_t serving_indexed = 0;
  std::set<std::string_view> configurations, accelerators;
  std::string last_fetched;
};

// The newest fetch of each source. Instants in one spelling order as texts.
Result<void> add_snapshots(const Snapshot& s, catalog::Store& store, std::vector<Tally>& tallies) {
  for (const auto& other : s.columns().others) {
    if (other.table != static_cast<std::uint32_t>(catalog::Table::kSourceSnapshots)) continue;
    KI_TRY(const json::Document row, read_row(store, other.entry));
    const std::string_view source = text_of(&row.root, "sourceId");
    const auto fetched = parse_instant(text_of(&row.root, "fetchedAt"));
    if (!fetched) continue;
    for (Index i = 0; i < tallies.size(); ++i) {
      if (id_text(s.sources()[i].id) != source) continue;
      tallies[i].last_fetched = std::max(tallies[i].last_fetched, fetched->instant.to_string());
    }
  }
  return {};
}

}  // namespace

Result<std::vector<SourceItem>> list_sources(const Snapshot& s, catalog::Store* store,
                                             const ServingFacts* serving) {
  std::vector<Tally> tallies(s.sources().size());
  for (const auto& run : s.runs()) {
    if (run.source == kNone || (run.flags & run_flags::kPublished) == 0) continue;
    Tally& tally = tallies[run.source];
    ++tally.indexed;
    if ((run.flags & run_flags::kEligible) == 0) continue;
    ++tally.runs;
    const auto& cohort = s.cohorts()[run.cohort];
    tally.operations.add(cohort.operation);
    tally.hardware.add(s.environments()[cohort.environment].product);
  }
  if (serving != nullptr) {
    for (const ServingFacts::Run& run : serving->runs) {
      if (run.source == kNone || !run.is_published) continue;
      Tally& tally = tallies[run.source];
      ++tally.serving_indexed;
      if (!run.is_eligible) continue;
      ++tally.serving_runs;
      tally.configurations.insert(run.configuration_id);
      tally.accelerators.insert(run.accelerator);
    }
  }
  if (store != nullptr) KI_TRY_VOID(add_snapshots(s, *store, tallies));
  std::vector<SourceItem> items;
  for (Index i = 0; i < tallies.size(); ++i) {
    Tally& tally = tallies[i];
    SourceItem& item = items.emplace_back();
    item.source = source_of(s, i);
    item.last_fetched = tally.last_fetched;
    item.is_serving = tally.indexed == 0 && tally.serving_indexed != 0;
    if (item.is_serving) {
      item.runs = tally.serving_runs;
      item.indexed = tally.serving_indexed;
      item.breadth = static_cast<std::uint32_t>(tally.configurations.size());
      item.hardware = static_cast<std::uint32_t>(tally.accelerators.size());
    } else {
      item.runs = tally.runs;
      item.indexed = tally.indexed;
      item.breadth = tally.operations.size();
      item.hardware = tally.hardware.size();
    }
  }
  std::ranges::sort(items, [](const SourceItem& a, const SourceItem& b) {
    return std::tie(a.is_serving, b.indexed, a.source.slug) <
           std::tie(b.is_serving, a.indexed, b.source.slug);
  });
  return items;
}

void write_json(json::Writer& w, const SourceItem& item) {
  w.begin_object()
      .member("slug", item.source.slug)
      .member("name", item.source.name)
      .member("kind", item.is_serving ? "serving" : "kernel")
      .member("runs", item.runs)
      .member("indexed", item.indexed)
      .member("breadth", item.breadth)
      .member("hardware", item.hardware);
  text_or_null(w, "lastFetched", item.last_fetched);
  w.end_object();
}

}  // namespace ki::views
