#include "ki/views/model_view.h"

#include "ki/base/text.h"
#include "ki/display/names.h"
#include "ki/policy/deployability.h"
#include "ki/policy/ranking.h"
#include "ki/resolve/describe.h"
#include "ki/views/answer_json.h"
#include "tally.h"

#include <algorithm>
#include <map>
#include <set>

namespace ki::views {
namespace {

using catalog::Snapshot;
constexpr std::string_view kModelTag = "model:";

// One begins with the other, up to a '-'.
bool is_related(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return a.size() < b.size() && b.starts_with(a) && b[a.size()] == '-';
}

bool is_deployable(const Snapshot& s, Index implementation) {
  const auto& row = s.implementations()[implementation];
  return policy::deployability_v1({.source_available = row.source_available != 0,
                                   .installable = row.installable != 0,
                                   .has_concluded_licence = row.license_concluded != 0})
      .empty();
}

class Maker {
 public:
  Maker(const Snapshot& snapshot, ModelView& view, const ModelViewOptions& options)
      : s_(snapshot), view_(view), options_(options) {}

  void find_operations() {
    std::set<std::string_view> related;
    SmallSet families;
    for (Index i = 0; i < s_.operations().size(); ++i) {
      for (const catalog::NameId tag : s_.tags(s_.operations()[i])) {
        const std::string_view name = s_.name(tag);
        if (!name.starts_with(kModelTag)) continue;
        const std::string_view model = name.substr(kModelTag.size());
        const std::string slug = display::model_slug(model);
        if (slug == view_.slug) {
          if (operations_.empty() || operations_.back() != i) operations_.push_back(i);
          families.add(s_.operations()[i].family);
        } else if (is_related(slug, view_.slug)) {
          related.insert(model);
        }
      }
    }
    view_.related_tags.assign(related.begin(), related.end());
    view_.operations = operations_.size();
    view_.families = families.size();
  }

  void choose_gpu() {
    std::map<std::string_view, std::uint32_t> runs;
    for (const Index operation : operations_) {
      view_.runs += s_.operations()[operation].eligible_runs;
      for_each_cohort(operation, [&](Index, std::string_view product, std::uint32_t ranked) {
        runs[product] += ranked;
      });
    }
    for (const auto& [product, count] : runs) view_.gpus.push_back({product, count});
    std::ranges::stable_sort(view_.gpus, std::ranges::greater{}, &ModelView::Gpu::runs);
    if (view_.gpus.empty()) return;
    view_.selected_gpu = view_.gpus.front().product;
    for (const ModelView::Gpu& gpu : view_.gpus) {
      if (equals_ignoring_case(gpu.product, options_.gpu) ||
          display::hardware_slug(gpu.product) == options_.gpu) {
        view_.selected_gpu = gpu.product;
      }
    }
  }

  void fill() {
    std::map<std::string_view, ModelView::Group> groups;
    std::vector<Index> shown;  // runs, for the sources
    for (const Index operation : operations_) {
      const std::string_view family = s_.name(s_.operations()[operation].family);
      Index cohort = kNone;
      std::uint32_t runs = 0;
      std::set<std::string_view> elsewhere;
      for_each_cohort(operation, [&](Index index, std::string_view product, std::uint32_t ranked) {
        if (product != view_.selected_gpu) {
          elsewhere.insert(product);
          return;
        }
        runs += ranked;
        if (cohort == kNone || comes_first(index, cohort)) cohort = index;
      });
      if (cohort == kNone) {
        view_.gaps.push_back({operation, {elsewhere.begin(), elsewhere.end()}});
        continue;
      }
      ModelView::Group& group = groups[family];
      group.family = family;
      group.runs += runs;
      group.entries.push_back(entry(operation, cohort, shown));
    }
    for (auto& [family, group] : groups) {
      std::ranges::sort(group.entries, {},
                        [&](const ModelView::Entry& e) { return slug(e.operation); });
      view_.groups.push_back(std::move(group));
    }
    std::ranges::stable_sort(view_.groups, std::ranges::greater{}, &ModelView::Group::runs);
    std::ranges::sort(view_.gaps, {}, [&](const ModelView::Gap& gap) {
      return std::pair(s_.name(s_.operations()[gap.operation].family), slug(gap.operation));
    });
    view_.sources = sources_of(s_, shown);
    view_.is_illustrative = is_illustrative(s_, shown);
  }

 private:
  std::string_view slug(Index operation) const { return s_.text(s_.operations()[operation].slug); }

  // Most ranked runs; of equally many the group with the smallest value.
  bool comes_first(Index a, Index b) const {
    const auto& x = s_.cohorts()[a];
    const auto& y = s_.cohorts()[b];
    if (x.ranked != y.ranked) return x.ranked > y.ranked;
    return s_.runs()[s_.runs_of_cohort(a).front()].value <
           s_.runs()[s_.runs_of_cohort(b).front()].value;
  }

  // Calls visit(cohort, GPU, ranked runs) for the groups with ranked runs.
  template <class Visit>
  void for_each_cohort(Index operation, Visit visit) const {
    for (const Index index : s_.cohorts_of_operation(operation)) {
      const catalog::CohortRow& cohort = s_.cohorts()[index];
      if (cohort.ranked == 0) continue;
      visit(index, s_.name(s_.environments()[cohort.environment].product), cohort.ranked);
    }
  }

  ModelView::Entry entry(Index operation, Index cohort, std::vector<Index>& shown) const {
    const auto ranked = s_.runs_of_cohort(cohort).first(s_.cohorts()[cohort].ranked);
    ModelView::Entry entry{.operation = operation,
                           .cohort = cohort,
                           .fastest = run_row(s_, ranked.front(), options_.now),
                           .deployable = {}};
    shown.push_back(ranked.front());
    const auto usable = std::ranges::find_if(
        ranked, [&](Index run) { return is_deployable(s_, s_.runs()[run].implementation); });
    if (usable != ranked.end()) entry.deployable = run_row(s_, *usable, options_.now);
    return entry;
  }

  const Snapshot& s_;
  ModelView& view_;
  const ModelViewOptions& options_;
  std::vector<Index> operations_;
};

void write_operation(json::Writer& w, const Snapshot& s, Index operation) {
  w.key("operation");
  write_json(w, named_operation(s, operation));
  w.member("family", s.name(s.operations()[operation].family));
}

void write_entry(json::Writer& w, const Snapshot& s, const ModelView::Entry& entry) {
  const catalog::CohortRow& cohort = s.cohorts()[entry.cohort];
  w.begin_object();
  write_operation(w, s, entry.operation);
  w.key("fastest");
  write_row(w, s, entry.fastest);
  w.key("deployable");
  if (entry.deployable) {
    write_row(w, s, *entry.deployable);
  } else {
    w.null();
  }
  w.member("workloadId", id_text(s.workloads()[cohort.workload].id))
      .key("cohort")
      .begin_object()
      .member("comparisonKey", digest_text(cohort.key))
      .member("profile", cohort.is_source_native != 0 ? "source_native" : "strict_exact")
      .key("facts")
      .begin_array();
  for (const resolve::CohortFact& fact : resolve::cohort_facts(s, entry.cohort)) {
    w.begin_object().member("key", fact.key).member("value", fact.value).end_object();
  }
  w.end_array().end_object().member("alternatives", cohort.ranked - 1).end_object();
}

}  // namespace

Result<ModelView> model_view(const Snapshot& s, std::string_view slug,
                             const ModelViewOptions& options) {
  ModelView view;
  view.slug = slug;
  view.catalog_version = s.seq();
  Maker maker(s, view, options);
  maker.find_operations();
  const ModelList list = list_models(s);
  const auto served = std::ranges::find(list.serving, slug, &ServingModel::slug);
  if (served != list.serving.end()) view.serving = *served;
  if (view.operations == 0 && view.related_tags.empty() && !view.serving) {
    std::vector<std::string> known;
    for (const KernelModel& model : list.kernel) known.push_back(display::model_slug(model.model));
    for (const ServingModel& model : list.serving) known.emplace_back(model.slug);
    const std::vector<std::string_view> views(known.begin(), known.end());
    const auto close = did_you_mean(slug, views);
    return fail(Code::kNotFound, "no operation is tagged with the model " + quote(slug) +
                                     ", and none was served" +
                                     (close ? "; did you mean " + std::string(*close) + "?" : ""));
  }
  maker.choose_gpu();
  maker.fill();
  return view;
}

void write_json(json::Writer& w, const Snapshot& s, const ModelView& view) {
  w.begin_object()
      .member("illustrative", view.is_illustrative)
      .key("model")
      .begin_object()
      .member("slug", view.slug)
      .key("relatedTags")
      .begin_array();
  for (const std::string_view tag : view.related_tags) w.value(tag);
  w.end_array().end_object().member("resolved", view.operations != 0).key("stats");
  w.begin_object()
      .member("operations", view.operations)
      .member("families", view.families)
      .member("runs", view.runs)
      .end_object()
      .key("gpus")
      .begin_array();
  for (const ModelView::Gpu& gpu : view.gpus) {
    w.begin_object().member("model", gpu.product).member("runs", gpu.runs).end_object();
  }
  w.end_array();
  text_or_null(w, "selectedGpu", view.selected_gpu);
  w.key("groups").begin_array();
  for (const ModelView::Group& group : view.groups) {
    w.begin_object().member("family", group.family).key("entries").begin_array();
    for (const ModelView::Entry& entry : group.entries) write_entry(w, s, entry);
    w.end_array().end_object();
  }
  w.end_array().key("gaps").begin_array();
  for (const ModelView::Gap& gap : view.gaps) {
    w.begin_object();
    write_operation(w, s, gap.operation);
    w.key("measuredOn").begin_array();
    for (const std::string_view gpu : gap.measured_on) w.value(gpu);
    w.end_array().end_object();
  }
  w.end_array().key("serving");
  if (view.serving) {
    write_json(w, *view.serving);
  } else {
    w.null();
  }
  w.key("sources");
  write_json(w, view.sources);
  w.member("policyVersion", policy::kRankingV1)
      .member("catalogVersion", view.catalog_version)
      .end_object();
}

}  // namespace ki::views
