// Keys made of digests and names (spec 02): what may be compared with what. Pure functions; each
// key's hashed text is available, so that a person can check it with sha256sum.
#pragma once

#include "ki/digest/digest.h"
#include "ki/json/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace ki::manifest {

// The metric key of a run without a primary measurement.
inline constexpr std::string_view kNoMetricKey = "none";

// "<metric>:<statistic>:<unit>".
std::string metric_key(std::string_view metric, std::string_view statistic, std::string_view unit);

// The hashed text of a correctness key: {"correctness": <spec.correctness verbatim>}.
// `workload_spec` is the spec of a valid WorkloadCase or WorkloadSuite (checked).
std::string correctness_text(const json::Value& workload_spec);
Digest correctness_key(const json::Value& workload_spec);

struct ComparisonParts {
  Digest operation;                        // of the workload's operationSpecDigest
  Digest workload;                         // digest of the workload
  Digest protocol;                         // digest of the protocol
  Digest environment;                      // digest of the environment
  Digest correctness;                      // correctness_key of the workload
  std::string_view metric = kNoMetricKey;  // metric_key() of the primary measurement
};
std::string comparison_text(const ComparisonParts& parts);
Digest comparison_key(const ComparisonParts& parts);

// The same with digests given as text, which is not checked.
struct ComparisonTexts {
  std::string_view operation;
  std::string_view workload;
  std::string_view protocol;
  std::string_view environment;
  std::string_view correctness;
  std::string_view metric = kNoMetricKey;
};
std::string comparison_text(const ComparisonTexts& texts);

// Serving. Each takes the spec of a valid manifest.
// "<harness.name>/<harness.version>/<placement or unspecified>/<streaming or
// non_streaming>/<loadGeneration>".
std::string serving_protocol_key(const json::Value& run_spec, const json::Value& workload_spec);
// "<vendor or unknown>/<model>/<perNode>x<nodeCount>/<interconnect or unspecified>".
std::string serving_topology_key(const json::Value& run_spec);
// Distinct "<metric>·<statistic>", sorted by UTF-16 code units, joined by ','.
std::string serving_metric_set_key(const json::Value& run_spec);

struct CohortParts {
  std::string_view model_digest;              // text, as it stands in the run
  std::optional<std::string_view> tokenizer;  // name of the model's tokenizer
  std::string_view workload_digest;           // text, as it stands in the run
  std::string_view protocol_key;
  std::string_view topology_key;
  std::string_view quality_policy;
  std::string_view metric_set_key;
};
std::string cohort_text(const CohortParts& parts);
Digest cohort_key(const CohortParts& parts);
// The cohort key of a run with its model's and its workload's spec.
Digest cohort_key(const json::Value& run_spec, const json::Value& model_spec,
                  const json::Value& workload_spec);

}  // namespace ki::manifest
