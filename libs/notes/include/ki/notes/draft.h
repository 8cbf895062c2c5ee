// What may be said about a run (spec 11.2, 11.3), read strictly: every problem is an issue with a
// pointer, nothing is cut off or dropped.
#pragma once

#include "ki/base/result.h"
#include "ki/json/value.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace ki::notes {

inline constexpr std::array<std::string_view, 4> kAttestationTypes = {
    "reproduced", "could_not_reproduce", "environment_note", "regression_observed"};
inline constexpr std::array<std::string_view, 5> kReportReasons = {
    "incorrect_result", "wrong_attribution", "license_issue", "comparability", "other"};

// Lengths in UTF-16 code units, as spec 01.1 counts.
inline constexpr std::size_t kMaxAttestationBody = 2000;
inline constexpr std::size_t kMaxReportDetail = 4000;
inline constexpr std::size_t kMaxEvidenceUrl = 2000;
inline constexpr std::size_t kMaxEnvironment = 200;
// Of a whole request, in bytes.
inline constexpr std::size_t kMaxRequestBytes = 64 << 10;

struct Attestation {
  std::string type;  // one of kAttestationTypes
  std::string body;
  std::string evidence_url = {};           // https; empty: none
  std::optional<double> observed_ns = {};  // what the author measured
  std::string environment = {};            // where; empty: not stated
  bool operator==(const Attestation&) const = default;
};

struct Report {
  std::string reason;  // one of kReportReasons
  std::string detail;
  std::string evidence_url = {};  // http or https; empty: none
  bool operator==(const Report&) const = default;
};

// {type, body, evidenceUrl?, observedNs?, environmentSummary?}. Texts are trimmed, line ends become
// LF; control characters and marks that turn the direction of text around are refused.
Result<Attestation> read_attestation(const json::Value& request);
// {reason, detail, evidenceUrl?}.
Result<Report> read_report(const json::Value& request);

// A form (application/x-www-form-urlencoded) as the JSON text that says the same: fields without a
// value are left out, `observed` with `observedUnit` (ns, us, ms) becomes observedNs. Strict: bad
// escapes, bytes that are not UTF-8, repeated fields and more than 16 of them are refused.
Result<std::string> json_of_form(std::string_view form);

}  // namespace ki::notes
