#include "ki/views/lists.h"
#include "natural.h"

#include <algorithm>
#include <tuple>

namespace ki::views {

using catalog::Snapshot;

std::optional<OperationSort> parse_operation_sort(std::string_view text) {
  if (text == "runs" || text == "indexed") return OperationSort::kRuns;
  if (text == "active") return OperationSort::kActive;
  if (text == "az") return OperationSort::kName;
  return std::nullopt;
}

OperationList list_operations(const Snapshot& s, const OperationListOptions& options) {
  const auto tag = s.find_name(options.tag);
  const auto family = s.find_name(options.family);
  OperationList list;
  list.offset = options.offset;
  std::vector<Index> found;
  for (Index i = 0; i < s.operations().size(); ++i) {
    const auto& row = s.operations()[i];
    if (options.only_measured && row.eligible_runs == 0) continue;
    if (!options.family.empty() && (!family || row.family != *family)) continue;
    const auto tags = s.tags(row);
    if (!options.tag.empty() && (!tag || std::ranges::find(tags, *tag) == tags.end())) continue;
    found.push_back(i);
  }
  const auto slug_less = [&](Index a, Index b) {
    return s.text(s.operations()[a].slug) < s.text(s.operations()[b].slug);
  };
  switch (options.sort) {
    case OperationSort::kRuns:
      std::ranges::sort(found, [&](Index a, Index b) {
        const auto x = s.operations()[a].eligible_runs;
        const auto y = s.operations()[b].eligible_runs;
        return x != y ? x > y : slug_less(a, b);
      });
      break;
    case OperationSort::kActive:
      std::ranges::sort(found, [&](Index a, Index b) {
        const auto x = s.operations()[a].last_observed_ms;
        const auto y = s.operations()[b].last_observed_ms;
        return x != y ? x > y : slug_less(a, b);
      });
      break;
    case OperationSort::kName: {
      std::vector<std::pair<std::string, Index>> named;
      named.reserve(found.size());
      for (const Index i : found) named.emplace_back(named_operation(s, i).name, i);
      std::ranges::sort(named, [&](const auto& a, const auto& b) {
        if (natural_less(a.first, b.first)) return true;
        if (natural_less(b.first, a.first)) return false;
        return slug_less(a.second, b.second);
      });
      for (std::size_t i = 0; i < named.size(); ++i) found[i] = named[i].second;
      break;
    }
  }
  list.total = found.size();
  const std::size_t begin = std::min(options.offset, found.size());
  const std::size_t end = begin + std::min(options.limit, found.size() - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const Index index = found[i];
    const auto& row = s.operations()[index];
    OperationItem& item = list.items.emplace_back();
    item.operation = index;
    item.named = named_operation(s, index);
    item.family = s.name(row.family);
    for (const auto id : s.tags(row)) item.tags.push_back(s.name(id));
    item.workloads = s.workloads_of_operation(index).size();
    item.implementations = s.implementations_of_operation(index).size();
    item.runs = row.eligible_runs;
    item.groups = row.measured_cohorts;
    item.last_observed_ms = row.last_observed_ms;
  }
  return list;
}

void write_json(json::Writer& w, const OperationItem& item) {
  w.begin_object()
      .member("slug", item.named.slug)
      .member("name", item.named.name)
      .member("family", item.family)
      .key("tags")
      .begin_array();
  for (const std::string_view tag : item.tags) w.value(tag);
  w.end_array()
      .member("workloads", item.workloads)
      .member("implementations", item.implementations)
      .member("runs", item.runs)
      .member("groups", item.groups);
  instant_or_null(w, "lastObservedAt", item.last_observed_ms);
  w.end_object();
}

}  // namespace ki::views
