#include "ki/views/operation_view.h"

#include "group_options.h"
#include "ki/base/text.h"
#include "ki/display/labels.h"
#include "ki/resolve/describe.h"
#include "operation_semantics.h"
#include "stored.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace ki::views {
namespace {

using catalog::Snapshot;

constexpr std::string_view kModelTag = "model:";

class Maker {
 public:
  Maker(const Snapshot& snapshot, catalog::Store& store, Index operation,
        const OperationViewOptions& options)
      : s_(snapshot), store_(store), row_(s_.operations()[operation]), options_(options) {
    view_.operation = operation;
    view_.catalog_version = s_.seq();
  }

  Result<OperationView> make() && {
    KI_TRY_VOID(choose());
    KI_TRY(view_.document, read_row(store_, row_.entry));
    view_.manifest = view_.document.root.find("manifest");
    add_identity();
    if (view_.manifest != nullptr) read_semantics(*view_.manifest, view_);
    KI_TRY_VOID(add_equivalents());
    KI_TRY_VOID(add_workloads());
    add_group();
    add_implementations();
    add_coverage();
    return std::move(view_);
  }

 private:
  // The workload and the group to show, and the workloads in order.
  Result<void> choose() {
    if (options_.cohort != kNone && s_.cohorts()[options_.cohort].operation != view_.operation) {
      return fail(Code::kInvalidArgument, "the comparison group is of another operation");
    }
    if (options_.workload != kNone &&
        s_.workloads()[options_.workload].operation != view_.operation) {
      return fail(Code::kInvalidArgument, "the workload is of another operation");
    }
    const auto all = s_.workloads_of_operation(view_.operation);
    workloads_.assign(all.begin(), all.end());
    // Most runs first; among equals the one with the fastest run, then the older one.
    const auto fastest = [&](Index workload) {
      const auto cohorts = s_.cohorts_of_workload(workload);
      if (cohorts.empty() || s_.cohorts()[cohorts.front()].ranked == 0) return 0.0;
      double best = s_.runs()[s_.runs_of_cohort(cohorts.front()).front()].value;
      for (const Index cohort : cohorts) {
        if (s_.cohorts()[cohort].ranked == 0) break;
        best = std::min(best, s_.runs()[s_.runs_of_cohort(cohort).front()].value);
      }
      return best;
    };
    std::vector<std::pair<double, Index>> keyed;
    keyed.reserve(workloads_.size());
    for (const Index workload : workloads_) keyed.emplace_back(fastest(workload), workload);
    std::ranges::sort(keyed, [&](const auto& a, const auto& b) {
      const auto x = s_.workloads()[a.second].eligible_runs;
      const auto y = s_.workloads()[b.second].eligible_runs;
      return x != y ? x > y : a < b;
    });
    for (std::size_t i = 0; i < keyed.size(); ++i) workloads_[i] = keyed[i].second;
    view_.workloads_total = workloads_.size();
    if (options_.cohort != kNone) {
      view_.selected_workload = s_.cohorts()[options_.cohort].workload;
    } else if (options_.workload != kNone) {
      view_.selected_workload = options_.workload;
    } else if (!workloads_.empty()) {
      view_.selected_workload = workloads_.front();
    }
    return {};
  }

  void add_identity() {
    view_.id = id_text(row_.id);
    view_.slug = s_.text(row_.slug);
    view_.name = resolve::operation_name(s_, view_.operation);
    view_.family = s_.name(row_.family);
    view_.semantic_digest = digest_text(row_.digest);
    for (const auto alias : s_.aliases(row_)) view_.aliases.push_back(s_.text(alias));
    for (const auto id : s_.tags(row_)) {
      const std::string_view tag = s_.name(id);
      view_.tags.push_back(tag);
      if (tag.starts_with(kModelTag)) view_.models.push_back(tag.substr(kModelTag.size()));
    }
  }

  // Relations are few: the ones of the whole catalog are looked through.
  Result<void> add_equivalents() {
    for (const auto& other : s_.columns().others) {
      if (other.table != static_cast<std::uint32_t>(catalog::Table::kOperationRelations)) continue;
      KI_TRY(const json::Document row, read_row(store_, other.entry));
      const std::string_view from = text_of(&row.root, "fromOperationId");
      const std::string_view to = text_of(&row.root, "toOperationId");
      if (from != view_.id && to != view_.id) continue;
      const auto id = Uuid::parse(from == view_.id ? to : from);
      const Index operation = id ? s_.find_operation(*id) : kNone;
      if (operation == kNone || operation == view_.operation) continue;
      view_.equivalents.push_back({.named = named_operation(s_, operation),
                                   .relation = std::string(text_of(&row.root, "relation"))});
    }
    return {};
  }

  // The tolerance of a workload; those with one correctness key share it.
  Result<std::string> tolerance_of(const catalog::WorkloadRow& row) {
    const auto known = tolerances_.find(row.correctness);
    if (known != tolerances_.end() && row.correctness != kNone) return known->second;
    KI_TRY(const json::Document document, read_row(store_, row.entry));
    const json::Value* correctness = at(document.root.find("manifest"), "spec", "correctness");
    std::string text =
        correctness == nullptr ? std::string() : display::tolerance_summary(*correctness);
    tolerances_[row.correctness] = text;
    return text;
  }

  Result<void> add_workloads() {
    catalog::CaseFacts facts;
    const auto shown =
        std::span(workloads_).first(std::min(workloads_.size(), options_.workloads_limit));
    for (const Index index : shown) {
      const auto& row = s_.workloads()[index];
      OperationView::Workload& workload = view_.workloads.emplace_back();
      workload.workload = index;
      workload.id = id_text(row.id);
      workload.digest = digest_text(row.digest);
      workload.label = resolve::workload_label(s_, index);
      s_.read_case(row, facts);
      for (const auto& axis : facts.axes) {
        workload.axes.emplace_back(s_.name(axis.name), axis.value);
      }
      if (const std::string_view dtypes = s_.name(row.dtypes); !dtypes.empty()) {
        workload.dtypes = split(dtypes, '/');
      }
      KI_TRY(workload.tolerance, tolerance_of(row));
      workload.runs = row.eligible_runs;
    }
    return {};
  }

  void add_group() {
    if (view_.selected_workload == kNone) return;
    view_.group_options = group_options(s_, view_.selected_workload);
    Index cohort = options_.cohort;
    if (cohort == kNone && !view_.group_options.empty()) {
      cohort = view_.group_options.front().cohort;
    }
    if (cohort == kNone) return;
    view_.group = describe_group(s_, cohort);
    const auto ranked = s_.runs_of_cohort(cohort).first(s_.cohorts()[cohort].ranked);
    view_.records_total = ranked.size();
    for (const Index run : ranked.first(std::min(ranked.size(), options_.records_limit))) {
      view_.records.push_back(run_row(s_, run, options_.now));
    }
  }

  void add_implementations() {
    std::vector<std::pair<Index, Index>> found;  // implementation, best run in the group
    std::unordered_set<Index> is_listed;
    if (view_.group) {
      const Index cohort = view_.group->cohort;
      for (const Index run : s_.runs_of_cohort(cohort).first(s_.cohorts()[cohort].ranked)) {
        const Index implementation = s_.runs()[run].implementation;
        if (is_listed.insert(implementation).second) found.emplace_back(implementation, run);
      }
    }
    const auto measured = static_cast<std::ptrdiff_t>(found.size());
    for (const Index implementation : s_.implementations_of_operation(view_.operation)) {
      if (!is_listed.contains(implementation)) found.emplace_back(implementation, kNone);
    }
    view_.implementations_total = found.size();
    std::sort(found.begin() + measured, found.end(), [&](const auto& a, const auto& b) {
      const auto& x = s_.implementations()[a.first];
      const auto& y = s_.implementations()[b.first];
      if (x.eligible_runs != y.eligible_runs) return x.eligible_runs > y.eligible_runs;
      return std::pair(s_.text(x.slug), a.first) < std::pair(s_.text(y.slug), b.first);
    });
    found.resize(std::min(found.size(), options_.implementations_limit));
    for (const auto& [index, best] : found) {
      const auto& row = s_.implementations()[index];
      OperationView::Implementation& item = view_.implementations.emplace_back();
      item.implementation = index;
      item.named = named_implementation(s_, index);
      item.project = named_project(s_, row.project);
      item.language = s_.name(row.language);
      item.framework = s_.name(row.framework);
      item.runs = row.eligible_runs;
      item.best_run = best;
      item.is_source_available = row.source_available != 0;
      item.is_installable = row.installable != 0;
      item.licence = licence_of(s_, index);
      std::uint8_t evidence = 0;
      for (const Index run : s_.runs_of_implementation(index)) {
        evidence = std::max(evidence, s_.runs()[run].evidence);
      }
      if (evidence != 0) item.evidence = static_cast<policy::EvidenceLevel>(evidence);
    }
  }

  void add_coverage() {
    const auto runs = s_.runs_of_operation(view_.operation);
    for (const Index run : runs) ++view_.evidence.at(s_.runs()[run].evidence);
    view_.last_observed_ms = row_.last_observed_ms;
    view_.sources = sources_of(s_, runs);
    view_.is_illustrative = is_illustrative(s_, runs);
  }

  const Snapshot& s_;
  catalog::Store& store_;
  const catalog::OperationRow& row_;
  const OperationViewOptions& options_;
  OperationView view_;
  std::vector<Index> workloads_;
  std::map<Index, std::string> tolerances_;  // by correctness key
};

}  // namespace

Result<OperationView> operation_view(const Snapshot& snapshot, catalog::Store& store,
                                     Index operation, const OperationViewOptions& options) {
  return Maker(snapshot, store, operation, options).make();
}

}  // namespace ki::views
