#include "ki/manifest/derived.h"

#include "ki/base/text.h"
#include "ki/json/number.h"
#include "ki/manifest/keys.h"
#include "layout_key.h"
#include "lower_case.h"
#include "members.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::manifest {
namespace {

using json::Member;
using json::Value;

void sort_distinct(std::vector<std::string_view>& texts) {
  std::ranges::sort(texts, utf16_less);
  const auto repeated = std::ranges::unique(texts);
  texts.erase(repeated.begin(), repeated.end());
}

std::string shape_text(const Value& tensor) {
  std::string out = "[";
  for (const Value& size : need(tensor, "shape").items()) {
    if (out.size() > 1) out += ", ";
    json::append_integer(out, size.integer().value_or(0));
  }
  return out + "]";
}

// The tensor that the operation names first among those present; else the smallest name.
const Value* first_tensor(const Value& tensors, const Value* operation_spec) {
  if (operation_spec != nullptr) {
    for (const Value& input : need(*operation_spec, "inputs").items()) {
      if (const Value* tensor = tensors.find(need_text(input, "name"))) return tensor;
    }
  }
  const Member* smallest = nullptr;
  for (const Member& member : tensors.members()) {
    if (smallest == nullptr || utf16_less(member.key, smallest->key)) smallest = &member;
  }
  return smallest == nullptr ? nullptr : &smallest->value;
}

// The integer at the start of a version text such as "570.86.15".
std::optional<std::int64_t> leading_integer(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  std::size_t at = 0;
  for (; at < text->size() && at < 15 && is_ascii_digit((*text)[at]); ++at)
    value = value * 10 + ((*text)[at] - '0');
  if (at == 0) return std::nullopt;
  return value;
}

struct LatencyStatistic {
  std::string_view member;
  std::string_view statistic;
};
// The order of spec 03.4.
constexpr LatencyStatistic kLatencyStatistics[] = {
    {"median", "median"}, {"mean", "mean"},   {"p05", "p05"}, {"p95", "p95"},
    {"minimum", "min"},   {"maximum", "max"}, {"mad", "mad"}};

Measurement measurement_of(const Value& item) {
  return {.metric = need_text(item, "metric"),
          .statistic = need_text(item, "statistic"),
          .unit = need_text(item, "unit"),
          .value = need(item, "value").number(),
          .sample_count = integer_at(item, {"sampleCount"})};
}

void add_measurements(std::vector<Measurement>& out, const Value& run_spec) {
  for (const Value& item : items_at(run_spec, "measurements")) {
    const Measurement next = measurement_of(item);
    const bool is_taken = std::ranges::any_of(out, [&](const Measurement& one) {
      return one.metric == next.metric && one.statistic == next.statistic;
    });
    if (!is_taken) out.push_back(next);
  }
}

Measurement latency(const Value& timing, const LatencyStatistic& statistic) {
  return {.metric = "latency",
          .statistic = statistic.statistic,
          .unit = "ns",
          .value = need(need(timing, "latencyNs"), statistic.member).number(),
          .sample_count = integer_at(timing, {"samples"})};
}

void add_part(std::string& summary, std::string_view part) {
  if (part.empty()) return;
  if (!summary.empty()) summary += " · ";
  summary += part;
}

}  // namespace

WorkloadColumns derive_case(const Value& case_spec, const Value* operation_spec) {
  WorkloadColumns columns;
  const Value& tensors = need(case_spec, "tensors");
  const Value* first = first_tensor(tensors, operation_spec);
  columns.shape_summary = first == nullptr ? "[]" : shape_text(*first);
  for (const Member& member : tensors.members()) {
    columns.dtypes.push_back(need_text(member.value, "dtype"));
    columns.layout_keys.push_back(layout_key(member.value));
  }
  sort_distinct(columns.dtypes);
  sort_distinct(columns.layout_keys);
  return columns;
}

WorkloadColumns derive_suite(const Value& suite_spec) {
  WorkloadColumns columns;
  columns.shape_summary =
      fmt::format("suite of {} cases", need(suite_spec, "cases").items().size());
  return columns;
}

ProjectColumns derive_project(const Value& spec) {
  ProjectColumns columns;
  columns.name = need_text(spec, "name");
  columns.normalized_name = lower_case(columns.name);
  columns.canonical_url = text_at(spec, {"repository"});
  if (!columns.canonical_url) columns.canonical_url = text_at(spec, {"homepage"});
  columns.kind = text_at(spec, {"kind"}).value_or("library");
  return columns;
}

ImplementationColumns derive_implementation(const Value& spec, const Value& metadata) {
  ImplementationColumns columns;
  columns.operation_digest = need_text(need(spec, "operation"), "specDigest");
  const Value& revision = need(spec, "projectRevision");
  columns.source_revision = text_at(revision, {"commit"});
  if (!columns.source_revision) columns.source_revision = text_at(revision, {"version"});
  const Value& callable = need(spec, "callable");
  columns.language = need_text(callable, "language");
  columns.framework = text_at(callable, {"interface"});
  for (const Value& item : need(need(spec, "support"), "hardwareArchitectures").items())
    columns.target_architectures.push_back(item.string());
  columns.source_available =
      revision.find("repository") != nullptr || spec.find("source") != nullptr;
  const std::span<const Value> variants = items_at(spec, "buildVariants");
  columns.installable = !variants.empty();
  if (!variants.empty()) {
    columns.install_kind = text_at(variants[0], {"install", "kind"});
    columns.install_command = text_at(variants[0], {"install", "command"});
  }
  columns.license_declared = text_at(spec, {"licensing", "declared"});
  columns.license_concluded = text_at(spec, {"licensing", "concluded"});
  columns.role = text_at(metadata, {"labels", "role"});
  return columns;
}

std::optional<Measurement> primary_measurement(const Value& run_spec) {
  if (const Value* timing = run_spec.find("timing")) {
    const Value& latencies = need(*timing, "latencyNs");
    const std::string_view named = need_text(*timing, "primaryStatistic");
    const auto reports = [&](const LatencyStatistic& one) {
      return latencies.find(one.member) != nullptr;
    };
    for (const LatencyStatistic& one : kLatencyStatistics) {
      if (one.statistic == named && reports(one)) return latency(*timing, one);
    }
    // The named statistic was not reported: the number that stands for it keeps its own name.
    for (const LatencyStatistic& one : kLatencyStatistics) {
      if ((one.statistic == "median" || one.statistic == "mean") && reports(one))
        return latency(*timing, one);
    }
    return std::nullopt;
  }
  const std::span<const Value> measurements = items_at(run_spec, "measurements");
  if (measurements.empty()) return std::nullopt;
  return measurement_of(measurements[0]);
}

std::vector<Measurement> expand_measurements(const Value& run_spec) {
  std::vector<Measurement> out;
  if (const Value* timing = run_spec.find("timing")) {
    for (const LatencyStatistic& one : kLatencyStatistics) {
      if (need(*timing, "latencyNs").find(one.member) != nullptr)
        out.push_back(latency(*timing, one));
    }
  }
  add_measurements(out, run_spec);
  return out;
}

std::string primary_metric_key(const std::optional<Measurement>& primary) {
  if (!primary) return std::string(kNoMetricKey);
  return metric_key(primary->metric, primary->statistic, primary->unit);
}

RunColumns derive_run(const Value& run_spec, const Value& protocol_spec,
                      const Value& environment_spec) {
  const Value& hardware = need(environment_spec, "hardware");
  const Value& software = need(environment_spec, "software");
  RunColumns columns;
  columns.status = need_text(run_spec, "status");
  columns.observed_at = need_text(run_spec, "observedAt");
  columns.implementation_digest = need_text(run_spec, "implementationDigest");
  columns.workload_digest = need_text(run_spec, "workloadDigest");
  columns.protocol_digest = need_text(run_spec, "protocolDigest");
  columns.environment_digest = need_text(run_spec, "environmentDigest");
  columns.hardware_vendor = need_text(hardware, "vendor");
  columns.hardware_model = need_text(hardware, "product");
  columns.hardware_architecture = need_text(hardware, "architecture");
  columns.driver_major = leading_integer(text_at(software, {"driver"}));
  columns.cuda_major = leading_integer(text_at(software, {"cudaToolkit"}));
  columns.primary = primary_measurement(run_spec);
  if (const Value* interval = find_at(run_spec, {"timing", "latencyNs", "confidence95"})) {
    columns.uncertainty_low = interval->items()[0].number();
    columns.uncertainty_high = interval->items()[1].number();
  }
  columns.has_raw_evidence = find_at(run_spec, {"timing", "rawSamples"}) != nullptr ||
                             find_at(run_spec, {"evidence", "rawSamples"}) != nullptr ||
                             find_at(run_spec, {"evidence", "logs"}) != nullptr;
  columns.has_source_native = run_spec.find("sourceNative") != nullptr;
  columns.sol_score = number_at(run_spec, {"sourceNative", "metrics", "sol_score"});
  if (const auto toolkit = text_at(software, {"cudaToolkit"}); toolkit && !toolkit->empty())
    add_part(columns.environment_summary, fmt::format("CUDA {}", *toolkit));
  if (const Value* framework = software.find("framework")) {
    add_part(columns.environment_summary,
             fmt::format("{} {}", need_text(*framework, "name"), need_text(*framework, "version")));
  }
  add_part(columns.environment_summary, need_text(need(protocol_spec, "harness"), "name"));
  return columns;
}

ModelColumns derive_model(const Value& spec) {
  return {.model = need_text(spec, "model"),
          .tokenizer = text_at(spec, {"tokenizer", "name"}),
          .parameter_count = integer_at(spec, {"parameterCount"}),
          .context_length = integer_at(spec, {"contextLength"}),
          .license = text_at(spec, {"license"})};
}

StackColumns derive_stack(const Value& spec, const Value& metadata) {
  StackColumns columns;
  columns.version = text_at(spec, {"revision", "version"});
  columns.name = need_text(metadata, "name");
  if (columns.version) columns.name = *columns.version;
  if (const auto title = text_at(metadata, {"title"})) columns.name = *title;
  return columns;
}

ConfigurationColumns derive_configuration(const Value& spec) {
  return {.stack_digest = need_text(spec, "stackDigest"),
          .dtype = text_at(spec, {"dtype"}),
          .quantization = text_at(spec, {"quantization"}),
          .tensor_parallel = integer_at(spec, {"parallelism", "tensor"})};
}

ServingWorkloadColumns derive_serving_workload(const Value& spec) {
  return {.streaming = need(spec, "streaming").boolean(),
          .load_generation = need_text(spec, "loadGeneration")};
}

ServingRunColumns derive_serving_run(const Value& run_spec) {
  const Value& topology = need(run_spec, "topology");
  ServingRunColumns columns;
  columns.status = need_text(run_spec, "status");
  columns.observed_at = need_text(run_spec, "observedAt");
  columns.model_digest = need_text(run_spec, "modelDigest");
  columns.configuration_digest = need_text(run_spec, "configurationDigest");
  columns.workload_digest = need_text(run_spec, "workloadDigest");
  columns.quality_policy = need_text(run_spec, "qualityPolicy");
  columns.scenario = text_at(run_spec, {"sourceNative", "scenario"}).value_or("unspecified");
  columns.accelerator_vendor = text_at(topology, {"acceleratorVendor"});
  columns.accelerator_model = need_text(topology, "acceleratorModel");
  columns.accelerator_count = need_integer(topology, "acceleratorsPerNode");
  columns.node_count = need_integer(topology, "nodeCount");
  // Both are below 2^53; a product that overflows is one no machine has.
  if (__builtin_mul_overflow(columns.accelerator_count, columns.node_count,
                             &columns.total_accelerators)) {
    columns.total_accelerators = INT64_MAX;
  }
  add_measurements(columns.measurements, run_spec);
  return columns;
}

}  // namespace ki::manifest
