#include "ki/manifest/keys.h"

#include "ki/base/text.h"
#include "ki/json/canonical.h"
#include "members.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ki::manifest {

using json::Value;

std::string metric_key(std::string_view metric, std::string_view statistic, std::string_view unit) {
  return fmt::format("{}:{}:{}", metric, statistic, unit);
}

std::string correctness_text(const Value& workload_spec) {
  std::string text = R"({"correctness":)";
  json::append_canonical(text, need(workload_spec, "correctness"));
  text += '}';
  return text;
}

Digest correctness_key(const Value& workload_spec) {
  return Digest::of(correctness_text(workload_spec));
}

std::string comparison_text(const ComparisonTexts& texts) {
  // Members in UTF-16 order (RFC 8785); "v" is the version of this recipe.
  std::string out;
  out.reserve(512);
  const auto member = [&](std::string_view name, std::string_view value) {
    out += name;
    json::append_string(out, value);
  };
  member(R"({"correctness":)", texts.correctness);
  member(R"(,"environment":)", texts.environment);
  member(R"(,"metric":)", texts.metric);
  member(R"(,"operation":)", texts.operation);
  member(R"(,"protocol":)", texts.protocol);
  member(R"(,"v":1,"workload":)", texts.workload);
  out += '}';
  return out;
}

std::string comparison_text(const ComparisonParts& parts) {
  const std::string operation = parts.operation.to_string();
  const std::string workload = parts.workload.to_string();
  const std::string protocol = parts.protocol.to_string();
  const std::string environment = parts.environment.to_string();
  const std::string correctness = parts.correctness.to_string();
  return comparison_text(ComparisonTexts{.operation = operation,
                                         .workload = workload,
                                         .protocol = protocol,
                                         .environment = environment,
                                         .correctness = correctness,
                                         .metric = parts.metric});
}

Digest comparison_key(const ComparisonParts& parts) { return Digest::of(comparison_text(parts)); }

std::string serving_protocol_key(const Value& run_spec, const Value& workload_spec) {
  const Value& harness = need(run_spec, "harness");
  return fmt::format("{}/{}/{}/{}/{}", need_text(harness, "name"), need_text(harness, "version"),
                     text_at(run_spec, {"placement"}).value_or("unspecified"),
                     need(workload_spec, "streaming").boolean() ? "streaming" : "non_streaming",
                     need_text(workload_spec, "loadGeneration"));
}

std::string serving_topology_key(const Value& run_spec) {
  const Value& topology = need(run_spec, "topology");
  return fmt::format("{}/{}/{}x{}/{}", text_at(topology, {"acceleratorVendor"}).value_or("unknown"),
                     need_text(topology, "acceleratorModel"),
                     need_integer(topology, "acceleratorsPerNode"),
                     need_integer(topology, "nodeCount"),
                     text_at(topology, {"interconnect"}).value_or("unspecified"));
}

std::string serving_metric_set_key(const Value& run_spec) {
  std::vector<std::string> names;
  for (const Value& one : need(run_spec, "measurements").items())
    names.push_back(fmt::format("{}·{}", need_text(one, "metric"), need_text(one, "statistic")));
  std::ranges::sort(names, utf16_less);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return join(names, ",");
}

std::string cohort_text(const CohortParts& parts) {
  std::string out;
  out.reserve(768);
  const auto member = [&](std::string_view name, std::string_view value) {
    out += name;
    json::append_string(out, value);
  };
  member(R"({"metricSetKey":)", parts.metric_set_key);
  member(R"(,"modelDigest":)", parts.model_digest);
  member(R"(,"protocolKey":)", parts.protocol_key);
  member(R"(,"qualityPolicy":)", parts.quality_policy);
  out += R"(,"tokenizer":)";
  if (parts.tokenizer)
    json::append_string(out, *parts.tokenizer);
  else
    out += "null";
  member(R"(,"topologyKey":)", parts.topology_key);
  member(R"(,"workloadDigest":)", parts.workload_digest);
  out += '}';
  return out;
}

Digest cohort_key(const CohortParts& parts) { return Digest::of(cohort_text(parts)); }

Digest cohort_key(const Value& run_spec, const Value& model_spec, const Value& workload_spec) {
  const std::string protocol = serving_protocol_key(run_spec, workload_spec);
  const std::string topology = serving_topology_key(run_spec);
  const std::string metrics = serving_metric_set_key(run_spec);
  return cohort_key(CohortParts{.model_digest = need_text(run_spec, "modelDigest"),
                                .tokenizer = text_at(model_spec, {"tokenizer", "name"}),
                                .workload_digest = need_text(run_spec, "workloadDigest"),
                                .protocol_key = protocol,
                                .topology_key = topology,
                                .quality_policy = need_text(run_spec, "qualityPolicy"),
                                .metric_set_key = metrics});
}

}  // namespace ki::manifest
