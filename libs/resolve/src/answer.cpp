#include "ki/resolve/answer.h"

namespace ki::resolve {

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::kExact:
      return "exact";
    case Mode::kOperationOnly:
      return "operation_only";
    case Mode::kNearest:
      return "nearest";
    case Mode::kChooser:
      return "chooser";
    case Mode::kModel:
      return "model";
    case Mode::kBrowse:
      return "browse";
    case Mode::kNothing:
      return "none";
  }
  return {};
}

std::string_view to_string(Match match) {
  switch (match) {
    case Match::kExact:
      return "exact";
    case Match::kCompatible:
      return "compatible";
    case Match::kSupportedUnobserved:
      return "supported_unobserved";
  }
  return {};
}

std::string_view to_string(Caveat caveat) {
  switch (caveat) {
    case Caveat::kIllustrativeSource:
      return "illustrative_source";
    case Caveat::kBaseline:
      return "baseline";
    case Caveat::kNotReproduced:
      return "not_reproduced";
    case Caveat::kNoPublicSource:
      return "no_public_source";
    case Caveat::kLicenseUnknown:
      return "license_unknown";
    case Caveat::kOtherCohort:
      return "other_cohort";
    case Caveat::kDeclaredOnly:
      return "declared_only";
    case Caveat::kOperationMismatch:
      return "operation_mismatch";
    case Caveat::kUnranked:
      return "unranked";
  }
  return {};
}

std::string_view to_string(WhyRanked why) {
  switch (why) {
    case WhyRanked::kLowestValue:
      return "lowest_value";
    case WhyRanked::kByValue:
      return "by_value";
    case WhyRanked::kTied:
      return "tied";
    case WhyRanked::kNotInGroup:
      return "not_in_group";
    case WhyRanked::kNoMeasurement:
      return "no_measurement";
  }
  return {};
}

std::string_view to_string(Hidden reason) {
  switch (reason) {
    case Hidden::kTrust:
      return "trust";
    case Hidden::kSource:
      return "source";
    case Hidden::kInstallable:
      return "installable";
    case Hidden::kLicense:
      return "license";
    case Hidden::kAge:
      return "age";
  }
  return {};
}

std::string_view to_string(GroupKind kind) {
  switch (kind) {
    case GroupKind::kExact:
      return "exact";
    case GroupKind::kCompatible:
      return "compatible";
    case GroupKind::kReported:
      return "reported";
    case GroupKind::kSupportedUnmeasured:
      return "supportedUnmeasured";
  }
  return {};
}

std::string_view to_string(SelectedBecause reason) {
  switch (reason) {
    case SelectedBecause::kNothing:
      return "nothing";
    case SelectedBecause::kRequestedCohort:
      return "requested_cohort";
    case SelectedBecause::kAnswersRequest:
      return "answers_request";
    case SelectedBecause::kMostRuns:
      return "most_runs";
    case SelectedBecause::kCaseMatches:
      return "case_matches";
    case SelectedBecause::kNearestCase:
      return "nearest_case";
    case SelectedBecause::kFewestMismatches:
      return "fewest_mismatches";
  }
  return {};
}

void Answer::clear() {
  mode = Mode::kNothing;
  catalog_seq = 0;
  model.reset();
  operation = kNone;
  operation_reason = Reason::kId;
  selected = {};
  cohort_options.clear();
  for (Group& g : groups) {
    g.rows.clear();
    g.total = g.offset = g.hidden = 0;
    g.hidden_by.fill(0);
  }
  best_verified.reset();
  best_deployable.reset();
  nearest.reset();
  chooser.reset();
  families.clear();
  related.clear();
  corrections.clear();
  sources.clear();
  excluded.clear();
  excluded_total = 0;
  facets.clear();
  name_facets.clear();
  issues.clear();
  policy = {};
  texts.reset();
}

}  // namespace ki::resolve
