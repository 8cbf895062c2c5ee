// Lists of operations: those that a text may mean, those of a model, all of them (spec 05.11).
#include "ki/base/text.h"
#include "resolution.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::resolve {
namespace {

constexpr std::size_t kGuidance = 8;
constexpr std::size_t kRelated = 6;

// Parts of the key that orders a list, the weightiest first.
constexpr std::uint64_t kAxisMisfit = std::uint64_t{1} << 63;
constexpr std::uint64_t kNoEvidence = std::uint64_t{1} << 62;
constexpr std::uint64_t kLacksWords = std::uint64_t{1} << 61;
constexpr std::uint64_t kStranger = std::uint64_t{1} << 56;
constexpr std::uint64_t kMostStrangers = 31;

}  // namespace

// How well the operation can have the axes asked for, as the top of a key: those made for them
// (constants of the same value) first, those that lack one or have another constant last. The first
// of these is said to `misfit` unless that is null.
std::uint64_t Resolution::axis_key(Index operation, std::string* misfit) const {
  std::uint64_t strangers = 0;  // asked for, and no equal constant
  const auto axes = snapshot_.axes(snapshot_.operations()[operation]);
  for (const query::AxisBinding& asked : intent_->axes) {
    const auto found = std::ranges::find_if(axes, [&](const catalog::OperationAxis& axis) {
      return equals_ignoring_case(snapshot_.name(axis.name), asked.name);
    });
    if (found == axes.end()) {
      if (misfit != nullptr) *misfit = fmt::format("no axis {}", asked.name);
      return kAxisMisfit;
    }
    if (found->role != catalog::AxisRole::kConstant) {
      ++strangers;
    } else if (found->value != asked.value) {
      if (misfit != nullptr) *misfit = fmt::format("{} is {}", asked.name, found->value);
      return kAxisMisfit;
    }
  }
  return std::min(strangers, kMostStrangers) * kStranger;
}

// The request as a text that names the operation instead of describing it.
std::string_view Resolution::operation_query(Index operation) {
  if (request_.query.empty()) return {};
  std::string query = fmt::format("op:{}", snapshot_.text(snapshot_.operations()[operation].slug));
  for (const query::Facet& facet : answer_.facets) {
    if (facet.field == "op" || facet.field == "family" || facet.field == "model") continue;
    query.append(" ").append(facet.token);
  }
  return answer_.texts.copy(query);
}

void Resolution::decide_dtypes() {
  scratch_.dtype_matches.clear();
  for (const Index workload : resolver_.evidence.dtype_classes()) {
    scratch_.dtype_matches.push_back(scratch_.matcher.dtypes_match(workload) ? 1 : 0);
  }
}

// Eligible runs that match the filters of a list: GPU, architecture, CUDA, dtypes. The fastest is
// taken among those that share a metric with the largest cohort.
void Resolution::count_evidence(ChooserRow& row) {
  Index metric = kNone;
  double best = 0;
  for (const Evidence& evidence : resolver_.evidence.of_operation(row.operation)) {
    if (scratch_.dtype_matches[evidence.dtypes] == 0 ||
        !scratch_.matcher.environment_matches(evidence.environment)) {
      continue;
    }
    row.matching += evidence.runs;
    if (metric != kNone && evidence.metric != metric) continue;
    if (metric == kNone || evidence.value < best) {
      best = evidence.value;
      row.best = evidence.best;
    }
    metric = evidence.metric;
  }
}

void Resolution::add_evidence_details(ChooserRow& row) {
  for (const Index index : snapshot_.cohorts_of_operation(row.operation)) {
    const catalog::CohortRow& cohort = snapshot_.cohorts()[index];
    if (cohort.ranked == 0) break;
    if (!scratch_.matcher.environment_matches(cohort.environment) ||
        !scratch_.matcher.dtypes_match(cohort.workload)) {
      continue;
    }
    for (const Index run : snapshot_.runs_of_cohort(index).first(cohort.ranked)) {
      if (snapshot_.implementations()[snapshot_.runs()[run].implementation].source_available != 0)
        ++row.with_source;
    }
  }
}

std::string_view Resolution::facet_label() {
  std::string label;
  const auto add = [&](std::string_view part) {
    if (!label.empty()) label += " · ";
    label += part;
  };
  if (intent_->gpu) {
    add(intent_->gpu->typed);
  } else if (intent_->architecture) {
    add(*intent_->architecture);
  }
  if (intent_->cuda_major) add(fmt::format("CUDA {}", *intent_->cuda_major));
  for (const std::string& dtype : intent_->dtypes) add(dtype);
  return answer_.texts.copy(label);
}

void Resolution::list_hits(Mode mode) {
  answer_.mode = mode;
  if (mode == Mode::kModel) answer_.model = intent_->model;
  const auto& hits = scratch_.found.hits;
  Chooser& chooser = answer_.chooser.emplace();
  chooser.has_facets = scratch_.matcher.has_environment_part() || !intent_->dtypes.empty();
  scratch_.rows.clear();
  for (const Hit& hit : hits) {
    scratch_.rows.push_back({.operation = hit.operation, .reason = hit.reason});
  }
  if (!chooser.has_facets && intent_->axes.empty()) return fill_chooser_page();
  if (chooser.has_facets) {
    chooser.facet_label = facet_label();
    decide_dtypes();
  }
  // Operations that can have the axes asked for, of these evidence first, then names with all the
  // filter words, then those made for the axes, then the natural order; without filters the order
  // in which they were found.
  std::uint32_t facet_words = 0;
  for (std::size_t w = 0; w < scratch_.wanted.size() && w < 32; ++w) {
    if (scratch_.wanted[w].use == WordUse::kFacet) facet_words |= std::uint32_t{1} << w;
  }
  scratch_.order.clear();
  for (std::uint32_t i = 0; i < hits.size(); ++i) {
    ChooserRow& row = scratch_.rows[i];
    std::uint64_t key = i;
    if (chooser.has_facets) {
      key = index_.natural_position(row.operation);
      count_evidence(row);
      if (row.matching > 0) {
        ++chooser.with_evidence;
      } else {
        key |= kNoEvidence;
        if ((hits[i].words & facet_words) != facet_words) key |= kLacksWords;
      }
    }
    key |= axis_key(row.operation, nullptr);
    if ((key & kAxisMisfit) != 0) ++chooser.misfits;
    scratch_.order.emplace_back(key, i);
  }
  order_chooser_rows();
  fill_chooser_page();
}

// Only filters were asked for: every operation that has been measured so.
void Resolution::list_by_evidence() {
  Chooser& chooser = answer_.chooser.emplace();
  chooser.has_facets = true;
  chooser.facet_label = facet_label();
  decide_dtypes();
  scratch_.rows.clear();
  scratch_.order.clear();
  for (Index operation = 0; operation < snapshot_.operations().size(); ++operation) {
    ChooserRow row{.operation = operation, .reason = Reason::kListed};
    count_evidence(row);
    if (row.matching == 0) continue;
    std::uint64_t key = index_.natural_position(operation);
    key |= axis_key(operation, nullptr);
    if ((key & kAxisMisfit) != 0) ++chooser.misfits;
    scratch_.order.emplace_back(key, static_cast<std::uint32_t>(scratch_.rows.size()));
    scratch_.rows.push_back(row);
  }
  if (scratch_.rows.empty()) {
    answer_.chooser.reset();
    return guide();
  }
  answer_.mode = Mode::kChooser;
  chooser.with_evidence = static_cast<std::uint32_t>(scratch_.rows.size());
  order_chooser_rows();
  fill_chooser_page();
}

// Brings the rows of the page to their places; what stands behind it is in no order.
void Resolution::order_chooser_rows() {
  auto& order = scratch_.order;
  const std::size_t end =
      std::min(order.size(), std::size_t{request_.list_offset} + request_limit());
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(end);
  if (middle != order.end()) std::nth_element(order.begin(), middle, order.end());
  std::sort(order.begin(), middle);
  scratch_.page.clear();
  for (const auto& [key, i] : std::span(order).first(end)) {
    scratch_.page.push_back(scratch_.rows[i]);
  }
  std::ranges::copy(scratch_.page, scratch_.rows.begin());
}

void Resolution::fill_chooser_page() {
  Chooser& chooser = *answer_.chooser;
  const std::span<const ChooserRow> rows = scratch_.rows;
  chooser.total = static_cast<std::uint32_t>(rows.size());
  chooser.offset = std::min(request_.list_offset, chooser.total);
  const auto page = rows.subspan(
      chooser.offset, std::min<std::size_t>(request_limit(), rows.size() - chooser.offset));
  chooser.rows.assign(page.begin(), page.end());
  std::string misfit;
  for (ChooserRow& row : chooser.rows) {
    row.query = operation_query(row.operation);
    misfit.clear();
    if (axis_key(row.operation, &misfit) == kAxisMisfit) {
      row.axis_misfit = answer_.texts.copy(misfit);
    }
    if (chooser.has_facets) add_evidence_details(row);
  }
}

void Resolution::browse() {
  answer_.mode = Mode::kBrowse;
  answer_.chooser.emplace();
  const auto operations = snapshot_.operations();
  scratch_.order.clear();
  for (Index i = 0; i < operations.size(); ++i) {
    const catalog::OperationRow& row = operations[i];
    std::uint64_t key = 0;
    switch (request_.browse_order) {
      case BrowseOrder::kRuns:
        key = 0xFFFFFFFF - row.eligible_runs;
        break;
      case BrowseOrder::kNewest:
        key = ~static_cast<std::uint64_t>(row.last_observed_ms);
        break;
      case BrowseOrder::kName:
        break;
    }
    scratch_.order.emplace_back(key, index_.natural_position(i));
  }
  const std::size_t end =
      std::min<std::size_t>(scratch_.order.size(), request_.list_offset + request_limit());
  std::ranges::partial_sort(scratch_.order,
                            scratch_.order.begin() + static_cast<std::ptrdiff_t>(end));
  scratch_.rows.clear();
  for (const auto& [key, position] : scratch_.order) {
    scratch_.rows.push_back(
        {.operation = index_.natural_order()[position], .reason = Reason::kListed});
  }
  fill_chooser_page();
}

void Resolution::guide() {
  answer_.mode = Mode::kNothing;
  for (const SearchIndex::Family& family :
       index_.families().first(std::min(kGuidance, index_.families().size()))) {
    answer_.families.push_back({family.name, family.operations, family.runs});
  }
}

// Others of the family, oldest first, then what the words also find.
void Resolution::relate() {
  for (const Index other : index_.oldest_of_family(snapshot_.operations()[operation_].family)) {
    if (other != operation_ && answer_.related.size() < kRelated) answer_.related.push_back(other);
  }
  if (answer_.related.size() == kRelated || scratch_.wanted.empty()) return;
  const Search search{
      .wanted = scratch_.wanted, .family = {}, .model = {}, .only_whole_words = true};
  index_.search(search, scratch_.search, scratch_.others);
  for (const Hit& hit : scratch_.others.hits) {
    if (answer_.related.size() == kRelated) break;
    const bool is_known =
        hit.operation == operation_ ||
        std::ranges::find(answer_.related, hit.operation) != answer_.related.end();
    if (!is_known) answer_.related.push_back(hit.operation);
  }
}

}  // namespace ki::resolve
