#include "ki/display/names.h"
#include "ki/views/lists.h"
#include "tally.h"

#include <algorithm>
#include <map>

namespace ki::views {
namespace {

using catalog::NameId;
using catalog::Snapshot;

struct Tally {
  NameId vendor = 0;
  NameId architecture = 0;
  std::uint32_t runs = 0;
  std::uint32_t records = 0;
  std::int64_t last_ms = 0;
  SmallSet operations, families;
};

bool is_unknown(std::string_view text) { return text.empty() || text == "unknown"; }

std::string known_or_empty(std::string_view text) {
  return is_unknown(text) ? std::string() : std::string(text);
}

// GPUs that only serving runs name, by model.
void add_serving(const ServingFacts& serving, std::vector<HardwareItem>& items) {
  std::map<std::string, HardwareItem, std::less<>> others;
  for (const ServingFacts::Run& run : serving.runs) {
    if (!run.is_eligible) continue;
    const auto known = std::ranges::find(items, run.accelerator, &HardwareItem::model);
    HardwareItem& item = known != items.end() ? *known : others[run.accelerator];
    ++item.serving_runs;
    if (known != items.end()) continue;
    item.model = run.accelerator;
    if (item.vendor.empty()) item.vendor = run.vendor;
    item.last_observed_ms = std::max(item.last_observed_ms, run.observed_ms);
  }
  for (auto& [model, item] : others) {
    item.slug = display::hardware_slug(model);
    items.push_back(std::move(item));
  }
}

}  // namespace

std::vector<HardwareItem> list_hardware(const Snapshot& s, const ServingFacts* serving) {
  std::map<NameId, Tally> tallies;
  for (const auto& cohort : s.cohorts()) {
    if (cohort.ranked == 0) continue;
    const auto& environment = s.environments()[cohort.environment];
    Tally& tally = tallies[environment.product];
    tally.vendor = environment.vendor;
    if (is_unknown(s.name(tally.architecture))) {
      tally.architecture = environment.display_architecture;
    }
    tally.runs += cohort.ranked;
    ++tally.records;
    tally.last_ms = std::max(tally.last_ms, cohort.last_observed_ms);
    tally.operations.add(cohort.operation);
    tally.families.add(s.operations()[cohort.operation].family);
  }
  std::vector<HardwareItem> items;
  for (auto& [product, tally] : tallies) {
    HardwareItem& item = items.emplace_back();
    item.model = s.name(product);
    item.slug = display::hardware_slug(item.model);
    item.vendor = known_or_empty(s.name(tally.vendor));
    if (!is_unknown(s.name(tally.architecture))) item.architecture = s.name(tally.architecture);
    item.kernel_runs = tally.runs;
    item.operations = tally.operations.size();
    item.families = tally.families.size();
    item.records = tally.records;
    item.last_observed_ms = tally.last_ms;
  }
  std::ranges::sort(items, [](const HardwareItem& a, const HardwareItem& b) {
    return a.kernel_runs != b.kernel_runs ? a.kernel_runs > b.kernel_runs : a.model < b.model;
  });
  if (serving != nullptr) add_serving(*serving, items);
  return items;
}

void write_json(json::Writer& w, const HardwareItem& item) {
  w.begin_object().member("slug", item.slug).member("model", item.model);
  text_or_null(w, "vendor", item.vendor);
  text_or_null(w, "architecture", item.architecture);
  w.member("kernelRuns", item.kernel_runs)
      .member("servingRuns", item.serving_runs)
      .member("operations", item.operations)
      .member("families", item.families)
      .member("records", item.records);
  instant_or_null(w, "lastObservedAt", item.last_observed_ms);
  w.end_object();
}

}  // namespace ki::views
