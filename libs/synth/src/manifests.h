// Canonical manifests of a synthetic catalog (RFC 8785, made in order of keys), with their digests.
#pragma once

#include "ki/base/instant.h"
#include "ki/digest/digest.h"
#include "plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::synth {

struct Manifest {
  std::string text;
  Digest digest = Digest::of({});
};

struct Environment {
  std::string_view vendor, product, architecture;
  Manifest manifest;
};
// Fixed: six protocols (two a form) and sixteen environments.
std::vector<Manifest> make_protocols();
std::vector<Environment> make_environments();
std::size_t protocol_of(Form form, std::uint64_t operation);
std::string_view harness_of(Form form);

std::string operation_slug(std::uint64_t seed, std::uint64_t index);
std::string operation_family(std::uint64_t seed, std::uint64_t index);
Manifest make_operation(std::uint64_t seed, std::uint64_t index);

struct Workload {
  Manifest manifest;
  std::string shape_summary, dtypes;  // `dtypes`: a JSON list
  std::string correctness;            // JSON
  bool is_suite = false;
};
Workload make_workload(std::uint64_t seed, std::uint64_t operation, std::uint32_t index,
                       bool is_suite, const Digest& operation_digest);

std::string project_slug(std::uint64_t index);
std::string project_name(std::uint64_t index);
Manifest make_project(std::uint64_t index);

struct Implementation {
  Manifest manifest;
  std::string title, revision;
  std::string_view architecture;
};
Implementation make_implementation(std::uint64_t seed, std::uint64_t index, std::uint64_t operation,
                                   const Digest& operation_digest);

struct Measurement {
  std::string_view metric, statistic, unit;
  double value = 0;
};
struct Run {
  Manifest manifest;
  std::string_view status;
  std::optional<double> value;  // of the primary
  std::string_view metric, statistic, unit;
  std::vector<Measurement> measurements;
  std::optional<double> sol_score;
  Instant observed;
};
struct RunParts {
  std::uint64_t index = 0;  // of the run in the catalog
  std::uint64_t operation = 0;
  std::uint64_t group = 0;  // decides the group's typical latency
  Form form = Form::kMean;
  Digest implementation, workload, protocol, environment;
};
// What a run reports, without its manifest.
Run measure(std::uint64_t seed, const RunParts& parts);
Run make_run(std::uint64_t seed, const RunParts& parts);

}  // namespace ki::synth
