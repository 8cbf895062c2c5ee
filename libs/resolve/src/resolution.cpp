#include "resolution.h"

#include "ki/query/bind.h"
#include "ki/query/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::resolve {

void Resolution::run() {
  copy_request();
  find_operation();
  if (operation_ != kNone) answer_operation();
}

void Resolution::copy_request() {
  answer_.catalog_seq = snapshot_.seq();
  answer_.facets = intent_->facets;
  answer_.issues = intent_->issues;
  AppliedPolicy& policy = answer_.policy;
  policy.minimum_trust = intent_->minimum_trust;
  policy.license = intent_->license;
  policy.allowed_licenses = intent_->allowed_licenses;
  policy.require_source = intent_->require_source;
  policy.require_installable = intent_->require_installable;
  policy.max_age_days = intent_->max_age_days;
  has_policy_ = !policy.is_empty();
  scratch_.licenses.clear();
  scratch_.matcher.start(snapshot_, resolver_.gpus, *intent_);
}

void Resolution::add_issue(std::string_view token, std::string_view code, std::string message) {
  query::Issue issue;
  issue.token = token;
  issue.code = code;
  issue.message = std::move(message);
  issue.severity = query::Severity::kNotice;
  answer_.issues.push_back(std::move(issue));
}

void Resolution::answer_operation() {
  answer_.operation = operation_;
  bind_case();
  count_matching();
  if (all_matching_ == 0 && reads_facets_as_name()) {
    bind_case();
    count_matching();
  }
  if (intent_->binds_case() && all_matching_ == 0) find_nearest();
  select();
  list_cohorts();
  group_runs();
  list_excluded();
  collect_sources();
  relate();
  report_gpu();
  const bool is_answered = intent_->binds_case() && answer_.group(GroupKind::kExact).total > 0;
  // A constraint that was not understood is not met, so nothing can be called exact.
  if (is_answered && !intent_->has_refusals()) {
    answer_.mode = Mode::kExact;
  } else {
    answer_.mode = answer_.nearest ? Mode::kNearest : Mode::kOperationOnly;
  }
}

void Resolution::bind_case() {
  if (!intent_->binds_case() && intent_->tensors.empty()) return;
  if (intent_ != &scratch_.intent) {
    scratch_.intent = *intent_;
    intent_ = &scratch_.intent;
  }
  auto issues = query::bind(scratch_.intent, scratch_.operation.load(snapshot_, operation_));
  std::ranges::move(issues, std::back_inserter(answer_.issues));
  start_matcher();
}

void Resolution::start_matcher() {
  scratch_.matcher.start(snapshot_, resolver_.gpus, *intent_);
  scratch_.matcher.bind_axes(operation_);
}

// With a filter word that is also in the operation's name ("fp8 mm") nothing matches: then it was
// only part of the name. True when any was taken out of the constraints.
bool Resolution::reads_facets_as_name() {
  bool is_changed = false;
  for (std::size_t w = 0; w < scratch_.wanted_facets.size() && w < 32; ++w) {
    if (scratch_.wanted_facets[w] == kNone || (name_words_ >> w & 1U) == 0) continue;
    const query::Facet& facet = request_.intent->facets[scratch_.wanted_facets[w]];
    if (!is_changed && intent_ != &scratch_.intent) {
      scratch_.intent = *intent_;
      intent_ = &scratch_.intent;
    }
    query::Intent& intent = scratch_.intent;
    if (facet.field == "dtype") {
      if (const auto dtype = query::find_bare_dtype(facet.token))
        std::erase(intent.dtypes, std::string(*dtype));
    } else if (facet.field == "gpu") {
      intent.gpu.reset();
    } else if (facet.field == "arch") {
      intent.architecture.reset();
    } else if (facet.field == "language") {
      intent.language.reset();
    } else if (facet.field == "framework") {
      intent.framework.reset();
    } else {
      continue;
    }
    is_changed = true;
    answer_.name_facets.push_back(answer_.texts.copy(facet.token));
  }
  if (is_changed) {
    std::erase_if(answer_.issues, [](const query::Issue& issue) {
      return issue.code == "UNKNOWN_AXIS" || issue.code == "UNKNOWN_TENSOR" ||
             issue.code == "AMBIGUOUS_SHAPE" || issue.code == "SHAPE_FITS_NO_TENSOR";
    });
    start_matcher();
  }
  return is_changed;
}

// Says so when no run of the operation is on the GPU asked for because the text leaves open which
// one is meant.
void Resolution::report_gpu() {
  if (!intent_->gpu || all_matching_ > 0) return;
  std::string names;
  Index last = kNone;
  for (const Index cohort : snapshot_.cohorts_of_operation(operation_)) {
    const catalog::CohortRow& row = snapshot_.cohorts()[cohort];
    if (row.ranked == 0) break;
    const query::Gpu& gpu = resolver_.gpus.of_environment(row.environment);
    if (row.environment == last ||
        query::match_gpu(intent_->gpu->gpu, gpu) != query::GpuMatch::kAmbiguous)
      continue;
    last = row.environment;
    if (names.find(gpu.text) != std::string::npos) continue;
    names += (names.empty() ? "" : ", ") + gpu.text;
  }
  if (names.empty()) return;
  add_issue(
      intent_->gpu->typed, "AMBIGUOUS_GPU",
      fmt::format("runs name their GPU '{}', which may or may not be the one asked for", names));
}

}  // namespace ki::resolve
