// Answer: the complete reply to one request (spec 06.2), as values. Rows refer to the snapshot by
// index and carry raw numbers with their unit; libs/views turns them into text. All views and
// indexes belong to the snapshot that the Resolver reads; texts made here live in Answer::texts.
// An Answer may be used again for the next request: its memory is kept.
#pragma once

#include "ki/base/instant.h"
#include "ki/json/arena.h"
#include "ki/policy/evidence.h"
#include "ki/query/intent.h"
#include "ki/resolve/search_index.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::resolve {

enum class Mode : std::uint8_t {
  kExact,          // one operation, a case was asked for, and runs answer it without any mismatch
  kOperationOnly,  // one operation; no case asked for, or none measured that answers it
  kNearest,        // one operation; the case is not measured, but its neighbours on one axis are
  kChooser,        // several operations may be meant
  kModel,          // the operations of one model
  kBrowse,         // nothing asked for: all operations
  kNothing,        // nothing found; `families` says where to start
};
std::string_view to_string(Mode mode);  // "exact", "operation_only", ...

enum class Match : std::uint8_t { kExact, kCompatible, kSupportedUnobserved };
std::string_view to_string(Match match);

// Where a row differs from what was asked, in the order of spec 05.7.
struct Mismatch {
  std::string_view field;  // "hardware.gpu", "axes.m", ...
  std::string_view requested;
  std::string_view observed;  // "unknown" when not recorded
  bool operator==(const Mismatch&) const = default;
};

enum class Caveat : std::uint8_t {
  kIllustrativeSource,
  kBaseline,       // the designated baseline of its source
  kNotReproduced,  // reported, and nobody reproduced it
  kNoPublicSource,
  kLicenseUnknown,
  kOtherCohort,        // measured under another protocol or environment
  kDeclaredOnly,       // support is stated, no run is known
  kOperationMismatch,  // the implementation belongs to another operation (spec 17)
  kUnranked,           // measured on another case or outside what was asked: no rank
};
std::string_view to_string(Caveat caveat);  // "illustrative_source", ...

// How a row came to its place.
enum class WhyRanked : std::uint8_t {
  kLowestValue,  // rank 1 of its group under ranking-v1
  kByValue,      // its value's place in the group
  kTied,         // not told apart from a neighbour; ordered by trust, then newest
  kNotInGroup,   // other workload or cohort: ordered by value, no rank
  kNoMeasurement,
};
std::string_view to_string(WhyRanked why);

struct Row {
  Index run = kNone;  // kNone: support is declared, nothing measured
  Index implementation = kNone;
  Index operation = kNone;
  Index workload = kNone;  // kNone without a run
  Index cohort = kNone;    // the run's own
  Index environment = kNone;
  Index metric = kNone;  // metric, statistic and unit of `value`
  double value = 0;      // NaN without a run
  Match match = Match::kExact;
  WhyRanked why = WhyRanked::kNoMeasurement;
  std::uint32_t rank = 0;         // in the whole cohort (ranking-v1); 0: not ranked here
  std::uint32_t cohort_size = 0;  // ranked runs of the cohort; 0: not ranked here
  std::uint32_t position = 0;     // from 1 among the rows of this group that are not hidden
  bool is_tied_with_previous = false;
  bool is_baseline = false;
  bool is_stale = false;
  std::optional<policy::EvidenceLevel> evidence;
  std::uint16_t caveats = 0;  // bit per Caveat
  std::span<const Mismatch> mismatches;

  bool has(Caveat caveat) const { return (caveats >> static_cast<unsigned>(caveat) & 1U) != 0; }
};

// Why the policy of a request hides a row. A row can fail several.
enum class Hidden : std::uint8_t { kTrust, kSource, kInstallable, kLicense, kAge };
inline constexpr std::size_t kHiddenReasons = 5;
std::string_view to_string(Hidden reason);  // "trust", "source", ...

struct Group {
  std::vector<Row> rows;     // the page
  std::uint32_t total = 0;   // rows that pass the policy
  std::uint32_t offset = 0;  // of the first row
  std::uint32_t hidden = 0;  // rows that the policy hides
  std::array<std::uint32_t, kHiddenReasons> hidden_by{};
  std::uint32_t overflow() const {
    const auto end = offset + static_cast<std::uint32_t>(rows.size());
    return total > end ? total - end : 0;
  }
};

enum class GroupKind : std::uint8_t { kExact, kCompatible, kReported, kSupportedUnmeasured };
inline constexpr std::size_t kGroupKinds = 4;
std::string_view to_string(GroupKind kind);  // "exact", ..., "supportedUnmeasured"

enum class SelectedBecause : std::uint8_t {
  kNothing,           // no workload at all
  kRequestedCohort,   // the request names the cohort
  kAnswersRequest,    // it has the most runs without a mismatch
  kMostRuns,          // nothing was asked that tells workloads apart: it has the most runs
  kCaseMatches,       // the case asked for; no run matches the other filters
  kNearestCase,       // the closer neighbour of a case that nobody measured
  kFewestMismatches,  // nothing matches; these runs differ least
};
std::string_view to_string(SelectedBecause reason);

struct Selected {
  Index workload = kNone;
  Index cohort = kNone;
  SelectedBecause because = SelectedBecause::kNothing;
};

struct Fact {
  std::string_view key;
  std::string_view value;
};

struct CohortOption {
  Index cohort = kNone;
  std::uint32_t runs = 0;         // ranked
  std::uint32_t matching = 0;     // of them without a mismatch
  Index head = kNone;             // its first-ranked run
  std::string_view label;         // "NVIDIA B200", "NVIDIA B200 · CUDA 12.8"
  std::span<const Fact> differs;  // what tells it from the other options of the same GPU
};

struct NearestSide {
  Index workload = kNone;
  Index cohort = kNone;    // with the most runs that match
  Index head = kNone;      // its fastest matching run
  std::int64_t value = 0;  // of the axis
  std::uint32_t runs = 0;  // matching everything but the case
  std::string_view query;  // asks for this side; empty for a structured request
};
struct Nearest {
  std::string_view axis;
  std::int64_t requested = 0;
  std::optional<NearestSide> below, above;
};

// An operation in a list, with the evidence for the hardware and dtype asked for.
struct ChooserRow {
  Index operation = kNone;
  Reason reason = Reason::kAllWords;
  // The first axis asked for that this operation cannot have so: "n is 5120", "no axis m". Empty:
  // none.
  std::string_view axis_misfit = {};
  std::string_view query = {};    // that asks this operation; empty: a structured request
  std::uint32_t matching = 0;     // eligible runs that match the facets
  std::uint32_t with_source = 0;  // of them with public source
  Index best = kNone;             // the fastest of them
};
struct Chooser {
  std::vector<ChooserRow> rows;  // the page
  std::uint32_t total = 0;
  std::uint32_t offset = 0;
  std::uint32_t misfits = 0;        // rows with an axis misfit; they come last
  std::uint32_t with_evidence = 0;  // rows with matching runs; they come first
  bool has_facets = false;          // matching, with_source and best mean something
  std::string_view facet_label;     // "B200 · bf16"
};

struct FamilyHint {
  catalog::NameId family = 0;
  std::uint32_t operations = 0;
  std::uint32_t runs = 0;
};

// A run of the selected workload that is in no group.
struct Excluded {
  Index run = kNone;
  std::span<const std::string_view> reasons;  // codes of spec 04.1
};

struct AppliedPolicy {
  std::string_view ranking = "ranking-v1";
  std::optional<query::Trust> minimum_trust;
  std::optional<std::string> license;
  std::vector<std::string> allowed_licenses;
  bool require_source = false;
  bool require_installable = false;
  std::optional<int> max_age_days;
  bool is_empty() const {
    return !minimum_trust && !license && allowed_licenses.empty() && !require_source &&
           !require_installable && !max_age_days;
  }
};

struct Answer {
  Mode mode = Mode::kNothing;
  std::uint64_t catalog_seq = 0;
  std::optional<std::string> model;  // kModel: as asked
  Index operation = kNone;
  Reason operation_reason = Reason::kId;
  Selected selected;
  std::vector<CohortOption> cohort_options;  // of the selected workload, most matching runs first
  std::array<Group, kGroupKinds> groups;
  std::optional<Row> best_verified;
  std::optional<Row> best_deployable;
  std::optional<Nearest> nearest;
  std::optional<Chooser> chooser;       // kChooser, kModel and kBrowse
  std::vector<FamilyHint> families;     // kNothing: where to start
  std::vector<Index> related;           // other operations, best first
  std::vector<Correction> corrections;  // "rmsnrom" read as "rmsnorm"
  std::vector<Index> sources;           // of the rows shown, in order of first use
  std::vector<Excluded> excluded;       // of the selected workload, at most 50
  std::uint32_t excluded_total = 0;
  std::vector<query::Facet> facets;           // as understood
  std::vector<std::string_view> name_facets;  // tokens of facets that were read as part of the name
  std::vector<query::Issue> issues;           // of the text, of binding it, and of looking it up
  AppliedPolicy policy;

  Group& group(GroupKind kind) { return groups[static_cast<std::size_t>(kind)]; }
  const Group& group(GroupKind kind) const { return groups[static_cast<std::size_t>(kind)]; }

  json::Arena texts;  // what the views of this answer point into
  void clear();       // keeps the memory
};

}  // namespace ki::resolve
