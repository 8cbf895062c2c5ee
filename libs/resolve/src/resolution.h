// Resolution: the work on one request, step by step. Lives for one call of Resolver::resolve.
#pragma once

#include "state.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace ki::resolve {

class Resolution {
 public:
  Resolution(const Resolver::State& resolver, const Request& request, Scratch::State& scratch,
             Answer& answer)
      : resolver_(resolver),
        snapshot_(resolver.snapshot),
        index_(resolver.index),
        request_(request),
        intent_(request.intent),
        scratch_(scratch),
        answer_(answer) {}

  void run();

 private:
  // resolution.cpp
  void copy_request();
  bool asks_for_operation() const;
  void answer_operation();
  void bind_case();
  void start_matcher();
  bool reads_facets_as_name();
  void add_issue(std::string_view token, std::string_view code, std::string message);
  void report_gpu();

  // find_operation.cpp
  void find_operation();
  bool find_selected_operation();  // by id, digest or slug of a structured request
  void collect_wanted();
  void search(bool only_exact);
  bool search_named_operation();  // op:NAME
  void report_unused_words(std::uint32_t used);
  void report_family_and_model();

  // chooser.cpp
  void list_hits(Mode mode);
  void list_by_evidence();
  void browse();
  void guide();
  void order_chooser_rows();
  void fill_chooser_page();
  void decide_dtypes();
  void count_evidence(ChooserRow& row);
  void add_evidence_details(ChooserRow& row);
  std::uint64_t axis_key(Index operation, std::string* misfit) const;
  std::string_view operation_query(Index operation);
  std::string_view facet_label();
  void relate();

  // select.cpp
  void count_matching();
  void select();
  bool select_requested_cohort();
  Index choose_workload();
  Index choose_cohort(Index workload);
  bool comes_first(Index workload, Index other) const;
  Index fastest_run(Index workload) const;
  std::uint32_t matching_runs(Index cohort);
  void list_cohorts();
  void label_cohorts();

  // nearest.cpp
  void find_nearest();
  const NearestSide& closer_side() const;
  void fill_side(NearestSide& side, Index workload);

  // groups.cpp
  void group_runs();
  bool cohort_matches(Index cohort);
  bool meets_objective(const catalog::CohortRow& cohort) const;
  void add_exact_and_mismatched();
  void pick_best();
  void add_other_workloads();
  void add_other_cohorts();
  void add_unmeasured();
  void list_excluded();
  void collect_sources();

  // rows.cpp
  std::uint32_t request_limit() const;
  bool is_page_full(const Group& group) const { return group.rows.size() == request_limit(); }
  // Counts the run, hides it if the policy does, and keeps it if it is on the page.
  void offer(GroupKind kind, Index run, const catalog::RunRow& row);
  unsigned hidden_by(const catalog::RunRow* run, const catalog::ImplementationRow& implementation);
  bool count_hidden(Group& group, unsigned reasons);
  bool passes_license(catalog::NameId concluded);
  bool is_baseline(const catalog::ImplementationRow& code) const {
    return resolver_.baseline_role != 0 && code.role == resolver_.baseline_role;
  }
  void fill_row(Row& row, GroupKind kind, Index run_index, const catalog::RunRow& run);
  void add_mismatches(Row& row, const catalog::RunRow& run);
  std::span<const Mismatch> find_mismatches(const catalog::RunRow& run);
  void add_axis_mismatches(const catalog::WorkloadRow& workload);
  void add_case_differences(Index workload);
  std::int64_t requested_value(catalog::NameId axis, std::int64_t selected) const;
  std::string_view axis_field(catalog::NameId axis);
  std::string_view number_text(std::int64_t value);
  void add_mismatch(std::string_view field, std::string_view requested, std::string_view observed);

  const Resolver::State& resolver_;
  const catalog::Snapshot& snapshot_;
  const SearchIndex& index_;
  const Request& request_;
  const query::Intent* intent_;  // the request's, or scratch_.intent
  Scratch::State& scratch_;
  Answer& answer_;
  Index operation_ = kNone;
  std::uint32_t name_words_ = 0;    // bit per wanted: read as part of the operation's name
  std::uint32_t all_matching_ = 0;  // runs of the operation without a mismatch
  bool has_policy_ = false;
};

}  // namespace ki::resolve
