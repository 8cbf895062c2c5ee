#include "ki/views/lists.h"
#include "tally.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ki::views {
namespace {

constexpr std::string_view kModelTag = "model:";

}  // namespace

ModelList list_models(const catalog::Snapshot& s) {
  struct Tally {
    KernelModel model;
    SmallSet families, gpus;
  };
  std::map<std::string_view, Tally> tallies;
  for (Index i = 0; i < s.operations().size(); ++i) {
    const auto& operation = s.operations()[i];
    for (const catalog::NameId tag : s.tags(operation)) {
      if (!s.name(tag).starts_with(kModelTag)) continue;
      Tally& tally = tallies[s.name(tag).substr(kModelTag.size())];
      ++tally.model.operations;
      if (operation.eligible_runs != 0) ++tally.model.measured;
      tally.model.runs += operation.eligible_runs;
      tally.model.last_observed_ms =
          std::max(tally.model.last_observed_ms, operation.last_observed_ms);
      tally.families.add(operation.family);
      for (const Index cohort : s.cohorts_of_operation(i)) {
        if (s.cohorts()[cohort].ranked == 0) break;
        tally.gpus.add(s.environments()[s.cohorts()[cohort].environment].product);
      }
    }
  }
  ModelList list;
  for (auto& [name, tally] : tallies) {
    tally.model.model = name;
    tally.model.families = tally.families.size();
    tally.model.gpus = tally.gpus.size();
    list.kernel.push_back(tally.model);
  }
  std::ranges::stable_sort(list.kernel, std::ranges::greater{}, &KernelModel::runs);
  for (const auto& row : s.columns().models) {
    list.serving.push_back({.slug = s.text(row.slug),
                            .name = s.text(row.name),
                            .parameters = row.parameters,
                            .runs = row.runs});
  }
  std::ranges::sort(list.serving, [](const ServingModel& a, const ServingModel& b) {
    return std::tie(b.runs, a.slug) < std::tie(a.runs, b.slug);
  });
  return list;
}

void write_json(json::Writer& w, const KernelModel& model) {
  w.begin_object()
      .member("model", model.model)
      .member("operations", model.operations)
      .member("measured", model.measured)
      .member("families", model.families)
      .member("runs", model.runs)
      .member("gpus", model.gpus);
  instant_or_null(w, "lastObservedAt", model.last_observed_ms);
  w.end_object();
}

void write_json(json::Writer& w, const ServingModel& model) {
  w.begin_object().member("slug", model.slug).member("name", model.name).key("parameterCount");
  if (model.parameters == 0) {
    w.null();
  } else {
    w.value(model.parameters);
  }
  w.member("runs", model.runs).end_object();
}

void write_json(json::Writer& w, const ModelList& list) {
  w.begin_object().key("serving").begin_array();
  for (const ServingModel& model : list.serving) write_json(w, model);
  w.end_array().key("kernel").begin_array();
  for (const KernelModel& model : list.kernel) write_json(w, model);
  w.end_array().end_object();
}

}  // namespace ki::views
