#include "matcher.h"

#include "ki/base/text.h"

#include <algorithm>
#include <unordered_map>

namespace ki::resolve {
namespace {

// A text that no row has: matches nothing.
constexpr catalog::NameId kUnknownName = 0xFFFFFFFF;

query::RunFacts without_environment(const query::CaseFacts& workload) {
  static const query::Gpu kNoGpu{};
  query::RunFacts facts;
  facts.workload = &workload;
  facts.gpu = &kNoGpu;
  return facts;
}

}  // namespace

GpuTable::GpuTable(const catalog::Snapshot& snapshot) {
  std::unordered_map<catalog::NameId, std::uint32_t> known;
  slots_.reserve(snapshot.environments().size());
  for (const catalog::EnvironmentRow& row : snapshot.environments()) {
    const auto [at, is_new] =
        known.try_emplace(row.product, static_cast<std::uint32_t>(gpus_.size()));
    if (is_new) gpus_.push_back(query::parse_gpu(snapshot.name(row.product)));
    slots_.push_back(at->second);
  }
}

void Matcher::start(const catalog::Snapshot& snapshot, const GpuTable& gpus,
                    const query::Intent& intent) {
  snapshot_ = &snapshot;
  gpus_ = &gpus;
  intent_ = &intent;
  has_environment_ =
      intent.gpu || intent.architecture || intent.cuda_major || intent.environment_framework;
  has_only_dtypes_ = !intent.binds_case() && intent.tensors.empty() && !intent.layout;
  has_case_ = !has_only_dtypes_ || !intent.dtypes.empty();
  has_code_ = intent.framework || intent.language;
  language_.reset();
  framework_.reset();
  if (intent.language) language_ = snapshot.find_name(*intent.language).value_or(kUnknownName);
  if (intent.framework) framework_ = snapshot.find_name(*intent.framework).value_or(kUnknownName);
  last_workload_ = catalog::kNone;
  dtypes_.clear();
  bound_axes_.clear();
  binds_plain_axes_ = false;
  // Only what makes mismatches is copied: facets and issues play no part.
  has_before_axes_ = has_environment_ || has_code_ || !intent.dtypes.empty() ||
                     !intent.tensors.empty() || intent.layout || intent.shape;
  if (has_before_axes_) {
    before_axes_part_.gpu = intent.gpu;
    before_axes_part_.architecture = intent.architecture;
    before_axes_part_.cuda_major = intent.cuda_major;
    before_axes_part_.environment_framework = intent.environment_framework;
    before_axes_part_.dtypes = intent.dtypes;
    before_axes_part_.layout = intent.layout;
    before_axes_part_.framework = intent.framework;
    before_axes_part_.language = intent.language;
    before_axes_part_.tensors = intent.tensors;
    before_axes_part_.shape = intent.shape;
  }
  if (has_environment_) {
    environment_part_.gpu = intent.gpu;
    environment_part_.architecture = intent.architecture;
    environment_part_.cuda_major = intent.cuda_major;
    environment_part_.environment_framework = intent.environment_framework;
  }
  if (!has_case_) return ++epoch_, void();
  dtype_part_.dtypes = intent.dtypes;
  if (!has_only_dtypes_) {
    case_part_.dtypes = intent.dtypes;
    case_part_.layout = intent.layout;
    case_part_.tensors = intent.tensors;
    case_part_.shape = intent.shape;
    case_part_.axes = intent.axes;
    but_case_part_.dtypes = intent.dtypes;
    but_case_part_.layout = intent.layout;
    but_case_part_.tensors = intent.tensors;
    for (query::TensorRequest& tensor : but_case_part_.tensors) tensor.shape.reset();
  }
  ++epoch_;
}

void Matcher::bind_axes(Index operation) {
  bound_axes_.clear();
  binds_plain_axes_ = !intent_->axes.empty() && !intent_->shape && !intent_->binds_tensor_shape();
  for (const query::AxisBinding& asked : intent_->axes) {
    BoundAxis bound{.axis = 0, .asked = &asked};
    for (const catalog::OperationAxis& axis : snapshot_->axes(snapshot_->operations()[operation])) {
      if (!equals_ignoring_case(snapshot_->name(axis.name), asked.name)) continue;
      if (bound.axis != 0) binds_plain_axes_ = false;
      bound.axis = axis.name;
    }
    bound_axes_.push_back(bound);
  }
}

const catalog::CaseFacts::Axis* Matcher::find_axis(const catalog::CaseFacts& facts,
                                                   const BoundAxis& bound) const {
  if (bound.axis != 0) {
    if (const auto* axis = facts.find_axis(bound.axis)) return axis;
  }
  for (const catalog::CaseFacts::Axis& axis : facts.axes) {
    if (equals_ignoring_case(snapshot_->name(axis.name), bound.asked->name)) return &axis;
  }
  return nullptr;
}

Matcher::WorkloadNote& Matcher::note_of(Index workload) {
  if (workloads_.size() < snapshot_->workloads().size())
    workloads_.resize(snapshot_->workloads().size());
  WorkloadNote& note = workloads_[workload];
  if (note.epoch != epoch_) note = {.epoch = epoch_};
  return note;
}

// Most cases differ in an axis, which is seen without looking at anything else.
std::uint8_t Matcher::count_other_axes(Index workload) {
  const catalog::WorkloadRow& row = snapshot_->workloads()[workload];
  if (bound_axes_.empty() || row.kind != catalog::WorkloadKind::kCase) return 0;
  WorkloadNote& note = note_of(workload);
  if (note.other_axes != kNotCounted) return note.other_axes;
  snapshot_->read_axes(row, axes_only_);
  note.other_axes = 0;
  for (const BoundAxis& bound : bound_axes_) {
    const catalog::CaseFacts::Axis* axis = find_axis(axes_only_, bound);
    if (axis != nullptr && axis->value == bound.asked->value) continue;
    if (++note.other_axes == 2) break;
  }
  return note.other_axes;
}

bool Matcher::environment_matches(Index environment) {
  if (!has_environment_) return true;
  if (environments_.size() < snapshot_->environments().size())
    environments_.resize(snapshot_->environments().size());
  Note& note = environments_[environment];
  if (note.epoch != epoch_) note = {epoch_, decide_environment(environment)};
  return note.value;
}

bool Matcher::decide_environment(Index environment) {
  const catalog::EnvironmentRow& row = snapshot_->environments()[environment];
  query::RunFacts facts = without_environment(CaseView::nothing());
  facts.gpu = &gpus_->of_environment(environment);
  facts.architecture = snapshot_->name(row.display_architecture);
  if (row.cuda_major >= 0) facts.cuda_major = row.cuda_major;
  facts.environment_framework = snapshot_->name(row.framework);
  facts.environment_framework_version = snapshot_->name(row.framework_version);
  return query::matches(environment_part_, facts);
}

bool Matcher::case_part_matches(const query::Intent& part, Index workload) {
  return query::matches(part, without_environment(cases_.load(*snapshot_, workload)));
}

bool Matcher::dtypes_match(Index workload) {
  if (intent_->dtypes.empty()) return true;
  const catalog::WorkloadRow& row = snapshot_->workloads()[workload];
  const bool is_suite = row.kind == catalog::WorkloadKind::kSuite;
  const std::uint64_t key = is_suite ? std::uint64_t{1} << 32 | row.operation : row.dtypes;
  for (const auto& [known, value] : dtypes_) {
    if (known == key) return value;
  }
  const bool value = case_part_matches(dtype_part_, workload);
  if (dtypes_.size() < 64) dtypes_.emplace_back(key, value);
  return value;
}

bool Matcher::workload_matches(Index workload) {
  if (!has_case_) return true;
  if (has_only_dtypes_) return dtypes_match(workload);
  WorkloadNote& note = note_of(workload);
  if (!note.matches) {
    note.matches = count_other_axes(workload) == 0 && case_part_matches(case_part_, workload);
  }
  return *note.matches;
}

bool Matcher::matches_but_case(const query::CaseFacts& facts) const {
  return query::matches(has_only_dtypes_ ? dtype_part_ : but_case_part_,
                        without_environment(facts));
}

bool Matcher::is_case(Index workload) {
  return count_other_axes(workload) == 0 &&
         query::matches_case(*intent_, cases_.load(*snapshot_, workload));
}

std::uint32_t Matcher::matching_runs(Index index) {
  const catalog::CohortRow& cohort = snapshot_->cohorts()[index];
  if (cohort.ranked == 0 || !cohort_matches(cohort)) return 0;
  if (!has_code_) return cohort.ranked;
  std::uint32_t count = 0;
  for (const Index run : snapshot_->runs_of_cohort(index).first(cohort.ranked)) {
    const Index implementation = snapshot_->runs()[run].implementation;
    if (code_matches(snapshot_->implementations()[implementation])) ++count;
  }
  return count;
}

std::size_t Matcher::count_mismatches(Index cohort) {
  const catalog::RunRow& run = snapshot_->runs()[snapshot_->runs_of_cohort(cohort).front()];
  std::size_t count = mismatches_before_axes(run).size();
  if (bound_axes_.empty()) return count;
  const catalog::WorkloadRow& row = snapshot_->workloads()[run.workload];
  if (row.kind == catalog::WorkloadKind::kSuite) return count + bound_axes_.size();
  snapshot_->read_axes(row, axes_only_);
  for (const BoundAxis& bound : bound_axes_) {
    const catalog::CaseFacts::Axis* axis = find_axis(axes_only_, bound);
    if (axis == nullptr || axis->value != bound.asked->value) ++count;
  }
  return count;
}

void Matcher::load_run(const catalog::RunRow& run, query::RunFacts& facts) {
  const catalog::CohortRow& cohort = snapshot_->cohorts()[run.cohort];
  const catalog::EnvironmentRow& environment = snapshot_->environments()[cohort.environment];
  const catalog::ImplementationRow& implementation =
      snapshot_->implementations()[run.implementation];
  facts.gpu = &gpus_->of_environment(cohort.environment);
  facts.architecture = snapshot_->name(environment.display_architecture);
  if (environment.cuda_major >= 0) facts.cuda_major = environment.cuda_major;
  facts.framework = snapshot_->name(implementation.framework);
  facts.language = snapshot_->name(implementation.language);
  facts.environment_framework = snapshot_->name(environment.framework);
  facts.environment_framework_version = snapshot_->name(environment.framework_version);
}

const std::vector<query::Mismatch>& Matcher::mismatches_before_axes(const catalog::RunRow& run) {
  if (!has_before_axes_) {
    mismatches_.clear();
    return mismatches_;
  }
  const catalog::ImplementationRow& code = snapshot_->implementations()[run.implementation];
  const Index environment = snapshot_->cohorts()[run.cohort].environment;
  // Without a question about the case, all workloads answer alike.
  const bool asks_case =
      intent_->shape || !intent_->dtypes.empty() || !intent_->tensors.empty() || intent_->layout;
  const Index workload = asks_case ? run.workload : 0;
  const bool is_same = workload == last_workload_ && environment == last_environment_ &&
                       code.language == last_language_ && code.framework == last_framework_;
  if (is_same) return mismatches_;
  last_workload_ = workload;
  last_environment_ = environment;
  last_language_ = code.language;
  last_framework_ = code.framework;
  query::RunFacts facts =
      without_environment(asks_case ? cases_.load(*snapshot_, run.workload) : CaseView::nothing());
  load_run(run, facts);
  mismatches_ = query::mismatches(before_axes_part_, facts);
  return mismatches_;
}

}  // namespace ki::resolve
