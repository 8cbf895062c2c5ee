// Columns that follow from manifests alone (spec 03.4). Every function takes the spec of a valid
// manifest (a missing required member is a bug) and depends on no member order. Views point into
// the manifest that was given.
#pragma once

#include "ki/json/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::manifest {

struct WorkloadColumns {
  std::string shape_summary;                  // "[1, 32, 128]" or "suite of 16 cases"
  std::vector<std::string_view> dtypes;       // sorted, distinct; empty for a suite
  std::vector<std::string_view> layout_keys;  // contiguous, row_major, strided; sorted, distinct
};
// A WorkloadCase, with the spec of its operation (which decides the first tensor; null when it is
// not known: then the smallest name by UTF-16 order).
WorkloadColumns derive_case(const json::Value& case_spec, const json::Value* operation_spec);
WorkloadColumns derive_suite(const json::Value& suite_spec);

struct ProjectColumns {
  std::string_view name;
  std::string normalized_name;                    // in lower case, by Unicode
  std::optional<std::string_view> canonical_url;  // repository, else homepage
  std::string_view kind;                          // library when absent
};
ProjectColumns derive_project(const json::Value& spec);

struct ImplementationColumns {
  std::string_view operation_digest;
  std::optional<std::string_view> source_revision;  // commit, else version
  std::string_view language;
  std::optional<std::string_view> framework;  // callable.interface
  std::vector<std::string_view> target_architectures;
  bool source_available = false;
  bool installable = false;
  std::optional<std::string_view> install_kind;
  std::optional<std::string_view> install_command;
  std::optional<std::string_view> license_declared;
  std::optional<std::string_view> license_concluded;
  std::optional<std::string_view> role;  // metadata.labels.role
};
ImplementationColumns derive_implementation(const json::Value& spec, const json::Value& metadata);

struct Measurement {
  std::string_view metric;
  std::string_view statistic;
  std::string_view unit;
  double value = 0;
  std::optional<std::int64_t> sample_count;
};
// The primary measurement of a run, or nothing. `statistic` names the number that `value` is: where
// the named statistic was not reported, it is the median, else the mean, under that name.
std::optional<Measurement> primary_measurement(const json::Value& run_spec);
// latencyNs in the order median, mean, p05, p95, min, max, mad, then measurements[]; the first of
// each (metric, statistic) wins.
std::vector<Measurement> expand_measurements(const json::Value& run_spec);
// metric_key() of the primary measurement, or "none".
std::string primary_metric_key(const std::optional<Measurement>& primary);

struct RunColumns {
  std::string_view status;
  std::string_view observed_at;  // as written
  std::string_view implementation_digest;
  std::string_view workload_digest;
  std::string_view protocol_digest;
  std::string_view environment_digest;
  std::string_view hardware_vendor;
  std::string_view hardware_model;
  std::string_view hardware_architecture;
  std::optional<std::int64_t> driver_major;
  std::optional<std::int64_t> cuda_major;
  std::optional<Measurement> primary;
  std::optional<double> uncertainty_low;  // ns
  std::optional<double> uncertainty_high;
  bool has_raw_evidence = false;
  bool has_source_native = false;
  std::optional<double> sol_score;
  std::string environment_summary;  // "CUDA 12.8 · torch 2.7.0 · harness"; parts that exist
};
RunColumns derive_run(const json::Value& run_spec, const json::Value& protocol_spec,
                      const json::Value& environment_spec);

struct ModelColumns {
  std::string_view model;
  std::optional<std::string_view> tokenizer;
  std::optional<std::int64_t> parameter_count;
  std::optional<std::int64_t> context_length;
  std::optional<std::string_view> license;
};
ModelColumns derive_model(const json::Value& spec);

struct StackColumns {
  std::string_view name;  // metadata.title, else revision.version, else metadata.name
  std::optional<std::string_view> version;
};
StackColumns derive_stack(const json::Value& spec, const json::Value& metadata);

struct ConfigurationColumns {
  std::string_view stack_digest;
  std::optional<std::string_view> dtype;
  std::optional<std::string_view> quantization;
  std::optional<std::int64_t> tensor_parallel;
};
ConfigurationColumns derive_configuration(const json::Value& spec);

struct ServingWorkloadColumns {
  bool streaming = false;
  std::string_view load_generation;
};
ServingWorkloadColumns derive_serving_workload(const json::Value& spec);

struct ServingRunColumns {
  std::string_view status;
  std::string_view observed_at;  // as written
  std::string_view model_digest;
  std::string_view configuration_digest;
  std::string_view workload_digest;
  std::string_view quality_policy;
  std::string_view scenario;  // sourceNative.scenario, else "unspecified"
  std::optional<std::string_view> accelerator_vendor;
  std::string_view accelerator_model;
  std::int64_t accelerator_count = 0;  // per node
  std::int64_t node_count = 0;
  std::int64_t total_accelerators = 0;
  std::vector<Measurement> measurements;  // first of each (metric, statistic)
};
ServingRunColumns derive_serving_run(const json::Value& run_spec);

}  // namespace ki::manifest
