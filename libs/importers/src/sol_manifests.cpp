#include "sol_manifests.h"

#include "ki/base/text.h"
#include "ki/json/number.h"
#include "ki/json/writer.h"
#include "ki/manifest/axis_expression.h"
#include "ki/manifest/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ki::importers {
namespace {

constexpr std::string_view kKernelsUrl =
    "https://research.nvidia.com/benchmarks/sol-execbench/api/kernels";
constexpr std::string_view kRepository = "https://github.com/nvidia/sol-execbench";
constexpr std::string_view kComparator = "sol_execbench_eval";

// A manifest under construction: envelope and metadata first, then the caller writes the spec.
class Manifest {
 public:
  explicit Manifest(std::string_view kind) {
    w_.begin_object().member("apiVersion", manifest::kApiVersion).member("kind", kind);
  }
  json::Writer& metadata(std::string_view name, std::string_view title = {}) {
    w_.key("metadata").begin_object().member("name", name);
    if (!title.empty()) w_.member("title", title);
    return w_;
  }
  json::Writer& spec() {
    w_.end_object();
    return w_.key("spec").begin_object();
  }
  json::Writer& writer() { return w_; }
  std::string done() {
    w_.end_object().end_object();
    return std::move(out_);
  }

 private:
  std::string out_;
  json::Writer w_{out_};
};

template <class T>
void member_if(json::Writer& w, std::string_view name, const std::optional<T>& value) {
  if (value) w.member(name, *value);
}

// A dimension: a size, or the lower-case name of an axis.
Result<void> write_dimension(json::Writer& w, const json::Value& dimension) {
  if (const auto size = dimension.integer()) {
    w.value(*size);
    return {};
  }
  if (!dimension.is_string() || dimension.string().empty()) {
    return fail(Code::kInvalidArgument,
                "a dimension is neither an integer nor the name of an axis");
  }
  const std::string_view text = dimension.string();
  if (std::ranges::all_of(text, is_ascii_digit)) {
    const json::ParsedNumber size = json::parse_number(text);
    if (size.error != json::NumberError::kNone)
      return fail(Code::kInvalidArgument, "a dimension is no integer");
    w.value(static_cast<std::int64_t>(size.value));
  } else {
    w.value(ascii_lower(text));
  }
  return {};
}

bool has_shape(const json::Value& argument) {
  const json::Value* shape = argument.find("shape");
  return shape != nullptr && shape->is_array() && !shape->items().empty();
}

Result<std::string> dtype_of(const json::Member& argument) {
  const json::Value* dtype = argument.value.find("dtype");
  if (dtype == nullptr || !dtype->is_string()) {
    return fail(Code::kInvalidArgument,
                fmt::format("argument {} has no dtype", quote(argument.key)));
  }
  return sol_dtype(dtype->string());
}

Result<void> write_arguments(json::Writer& w, std::string_view list, const json::Value& arguments) {
  w.key(list).begin_array();
  for (const json::Member& argument : arguments.members()) {
    KI_TRY(const std::string dtype, dtype_of(argument));
    w.begin_object().member("name", sol_argument(argument.key));
    if (has_shape(argument.value)) {
      w.key("tensor").begin_object().key("shape").begin_array();
      for (const json::Value& dimension : argument.value.find("shape")->items()) {
        KI_TRY_VOID(write_dimension(w, dimension));
      }
      w.end_array().member("dtype", dtype).end_object();
    } else {
      w.key("scalar").begin_object().member("dtype", dtype).end_object();
    }
    w.end_object();
  }
  w.end_array();
  return {};
}

void write_hardware(json::Writer& w, const SolHardware& hardware) {
  w.key("hardware").begin_object();
  w.member("vendor", hardware.vendor)
      .member("product", hardware.product)
      .member("architecture", hardware.architecture);
  w.end_object();
}

}  // namespace

Result<std::string> sol_operation(const SolDefinition& d) {
  Manifest m("OperationSpec");
  json::Writer& metadata = m.metadata(kebab(d.name), d.name);
  if (!d.description.empty()) metadata.member("description", d.description);
  metadata.key("sourceRefs")
      .begin_array()
      .begin_object()
      .member("url", kKernelsUrl)
      .end_object()
      .end_array();
  json::Writer& w = m.spec();
  w.member("family", sol_family(d.op_type, d.tags)).key("axes").begin_object();
  for (const json::Member& axis : d.axes->members()) {
    const json::Value* type = axis.value.find("type");
    const std::string_view role =
        type != nullptr && type->is_string() ? type->string() : std::string_view();
    w.key(ascii_lower(axis.key)).begin_object();
    if (role == "const") {
      const json::Value* value = axis.value.find("value");
      const auto size = value == nullptr ? std::nullopt : value->integer();
      if (!size)
        return fail(Code::kInvalidArgument,
                    fmt::format("constant axis {} has no integer value", quote(axis.key)));
      w.member("role", "constant").member("type", "integer").member("value", *size);
    } else if (role == "expr") {
      const json::Value* expression = axis.value.find("expression");
      if (expression == nullptr || !expression->is_string()) {
        return fail(Code::kInvalidArgument,
                    fmt::format("derived axis {} has no expression", quote(axis.key)));
      }
      w.member("role", "derived")
          .member("type", "integer")
          .member("expression", ascii_lower(expression->string()));
    } else if (role == "var") {
      w.member("role", "variable").member("type", "integer");
    } else {
      return fail(Code::kInvalidArgument,
                  fmt::format("axis {} has the unknown type {}", quote(axis.key), quote(role)));
    }
    w.end_object();
  }
  w.end_object();
  KI_TRY_VOID(write_arguments(w, "inputs", *d.inputs));
  KI_TRY_VOID(write_arguments(w, "outputs", *d.outputs));
  w.key("semantics")
      .begin_object()
      .member("mutation", "none")
      .member("determinism", "unspecified")
      .end_object();
  if (d.has_reference) w.key("reference").begin_object().member("language", "python").end_object();
  return m.done();
}

Result<std::string> sol_case(const SolDefinition& d, const SolEntry& entry,
                             const json::Value& operation_axes, std::string_view operation_digest) {
  std::vector<manifest::AxisBinding> given;
  for (const auto& [name, value] : entry.axes) given.push_back({ascii_lower(name), value});
  KI_TRY(const auto bound, manifest::bind_axes(operation_axes, given));
  std::map<std::string_view, std::int64_t> sizes;
  for (const manifest::AxisBinding& axis : bound) sizes.emplace(axis.name, axis.value);
  for (const manifest::AxisBinding& axis : given) sizes.emplace(axis.name, axis.value);

  Manifest m("WorkloadCase");
  m.metadata(fmt::format("{}-{}", kebab(d.name), entry.key.substr(0, 8)),
             sol_case_title(d.name, entry.axes));
  json::Writer& w = m.spec();
  w.member("operationSpecDigest", operation_digest).key("axes").begin_object();
  for (const manifest::AxisBinding& axis : given) w.member(axis.name, axis.value);
  w.end_object().key("tensors").begin_object();
  std::vector<std::pair<const json::Member*, double>> scalars;
  for (const json::Member& input : d.inputs->members()) {
    const json::Value* descriptor =
        entry.inputs == nullptr ? nullptr : entry.inputs->find(input.key);
    const json::Value* type = descriptor == nullptr ? nullptr : descriptor->find("type");
    const std::string_view kind =
        type != nullptr && type->is_string() ? type->string() : std::string_view();
    if (kind == "scalar") {
      const json::Value* value = descriptor->find("value");
      if (value != nullptr && value->is_number()) scalars.emplace_back(&input, value->number());
    }
    if (!has_shape(input.value)) continue;
    KI_TRY(const std::string dtype, dtype_of(input));
    w.key(sol_argument(input.key)).begin_object().key("shape").begin_array();
    for (const json::Value& dimension : input.value.find("shape")->items()) {
      if (const auto size = dimension.integer()) {
        w.value(*size);
        continue;
      }
      const std::string name =
          dimension.is_string() ? ascii_lower(dimension.string()) : std::string();
      if (!name.empty() && std::ranges::all_of(name, is_ascii_digit)) {
        w.raw(name);
        continue;
      }
      const auto size = sizes.find(name);
      if (size == sizes.end()) {
        return fail(Code::kInvalidArgument,
                    fmt::format("axis {} of input {} is not bound", quote(name), quote(input.key)));
      }
      w.value(size->second);
    }
    w.end_array().member("dtype", dtype);
    if (descriptor != nullptr) {
      w.key("data")
          .begin_object()
          .member("generator", kind == "safetensors" ? "safetensors" : "random")
          .end_object();
    }
    w.end_object();
  }
  w.end_object();
  if (!scalars.empty()) {
    w.key("scalars").begin_object();
    for (const auto& [input, value] : scalars) {
      KI_TRY(const std::string dtype, dtype_of(*input));
      w.key(sol_argument(input->key))
          .begin_object()
          .member("dtype", dtype)
          .member("value", value)
          .end_object();
    }
    w.end_object();
  }
  w.key("correctness").begin_object().member("comparator", kComparator);
  member_if(w, "maxAbsoluteError", entry.max_atol);
  member_if(w, "maxRelativeError", entry.max_rtol);
  w.end_object();
  return m.done();
}

std::string sol_suite(const SolDefinition& d, std::span<const SolEntry> entries,
                      std::string_view operation_digest) {
  Manifest m("WorkloadSuite");
  m.metadata(kebab(d.name) + "-suite", fmt::format("SOL workload suite: {}", d.name));
  json::Writer& w = m.spec();
  w.member("operationSpecDigest", operation_digest).key("cases").begin_array();
  for (const SolEntry& entry : entries) {
    w.begin_object().member("externalId", entry.key).key("axes").begin_object();
    for (const auto& [name, value] : entry.axes) w.member(ascii_lower(name), value);
    w.end_object().end_object();
  }
  w.end_array().key("correctness").begin_object().member("comparator", kComparator);
  w.member("description", "Correctness must pass on every case in the SOL evaluation stack.")
      .end_object();
  w.key("aggregation")
      .begin_object()
      .member("metric", "latency")
      .member("statistic", "mean")
      .end_object();
  return m.done();
}

std::vector<std::string> sol_input_dtypes(const SolDefinition& d) {
  std::vector<std::string> out;
  for (const json::Member& input : d.inputs->members()) {
    if (auto dtype = dtype_of(input); dtype && std::ranges::find(out, *dtype) == out.end())
      out.push_back(*std::move(dtype));
  }
  return out;
}

std::string sol_user_project(std::string_view user) {
  Manifest m("SoftwareProject");
  m.metadata("sol-user-" + kebab(user));
  json::Writer& w = m.spec();
  w.member("name", user).member("kind", "individual").key("host").begin_object();
  w.member("kind", "other").member("id", fmt::format("sol-execbench/user/{}", user)).end_object();
  return m.done();
}

std::string sol_examples_project() {
  Manifest m("SoftwareProject");
  m.metadata("nvidia-sol-execbench", "NVIDIA SOL-ExecBench");
  json::Writer& w = m.spec();
  w.member("name", "NVIDIA SOL-ExecBench")
      .member("kind", "library")
      .member("repository", kRepository);
  w.key("host")
      .begin_object()
      .member("kind", "github")
      .member("id", "nvidia/sol-execbench")
      .end_object();
  return m.done();
}

std::string sol_submission_implementation(const SolSubmission& s, const SolDefinition& d,
                                          std::string_view operation_digest) {
  const SolHardware hardware = sol_hardware(s.gpu_type);
  Manifest m("ImplementationRevision");
  json::Writer& metadata = m.metadata(fmt::format("sol-submission-{}", s.id),
                                      fmt::format("{} · {}", s.username, s.kernel_name));
  metadata.key("authors")
      .begin_array()
      .begin_object()
      .member("name", s.username)
      .end_object()
      .end_array();
  json::Writer& w = m.spec();
  w.key("projectRevision")
      .begin_object()
      .member("version", fmt::format("submission-{}", s.id))
      .end_object();
  w.key("operation").begin_object().member("specDigest", operation_digest).end_object();
  w.key("callable").begin_object().member("language", "unknown").end_object();
  w.key("support").begin_object();
  w.key("hardwareArchitectures").begin_array().value(hardware.architecture).end_array();
  w.key("productsTested").begin_array().value(hardware.product).end_array();
  w.key("dtypes").begin_array();
  for (const std::string& dtype : sol_input_dtypes(d)) w.value(dtype);
  w.end_array().end_object().key("licensing").begin_object().end_object();
  return m.done();
}

std::string sol_leaderboard_protocol(std::string_view stack) {
  const std::string title = fmt::format("SOL-ExecBench evaluation stack {}", stack);
  Manifest m("BenchmarkProtocol");
  m.metadata(kebab(fmt::format("sol-execbench-leaderboard-{}", stack)), title);
  json::Writer& w = m.spec();
  w.key("harness")
      .begin_object()
      .member("name", "SOL-ExecBench evaluation stack")
      .member("version", stack)
      .end_object();
  w.key("correctness").begin_object().member("reference", "definition reference implementation");
  w.member("comparator", kComparator).end_object();
  w.key("measurement")
      .begin_object()
      .member("timer", "harness_reported")
      .member("primaryStatistic", "mean")
      .end_object();
  w.key("comparability").begin_object();
  w.member("notes",
           "Suite-mean latency and SOL-Score as published by the SOL-ExecBench leaderboard. "
           "Comparable only within one "
           "definition, GPU type, and evaluation stack version.");
  w.member("family", "sol_execbench_leaderboard").end_object();
  return m.done();
}

std::string sol_leaderboard_environment(const SolHardware& hardware, std::string_view gpu_type,
                                        std::string_view stack) {
  Manifest m("ExecutionEnvironment");
  m.metadata(kebab(fmt::format("sol-execbench-{}-{}", gpu_type, stack)),
             fmt::format("SOL-ExecBench {}, stack {}", hardware.product, stack));
  json::Writer& w = m.spec();
  write_hardware(w, hardware);
  w.key("software")
      .begin_object()
      .key("libraries")
      .begin_object()
      .member("evaluation_stack", stack);
  w.end_object().end_object();
  return m.done();
}

std::string sol_submission_run(const SolSubmission& s, std::int64_t latency_ns, Instant observed,
                               std::string_view implementation, std::string_view workload,
                               std::string_view protocol, std::string_view environment) {
  Manifest m("BenchmarkRun");
  json::Writer& metadata =
      m.metadata(fmt::format("sol-submission-{}", s.id),
                 fmt::format("{} · {} · {}", s.username, s.kernel_name, s.gpu_type));
  if (!s.worker_id.empty())
    metadata.key("labels").begin_object().member("worker", s.worker_id).end_object();
  json::Writer& w = m.spec();
  w.member("status", "passed").member("observedAt", observed.to_string());
  w.key("timing").begin_object().member("primaryStatistic", "mean");
  w.key("latencyNs").begin_object().member("mean", latency_ns).end_object().end_object();
  w.key("sourceNative")
      .begin_object()
      .member("source", "sol-execbench")
      .member("benchmark", s.kernel_name);
  w.member("externalId", std::to_string(s.id)).key("metrics").begin_object();
  member_if(w, "latency_ms", s.latency_ms);
  member_if(w, "sol_score", s.sol_score);
  member_if(w, "avg_speedup", s.avg_speedup);
  member_if(w, "fast_1_count", s.fast_1_count);
  member_if(w, "fast_1_total", s.fast_1_total);
  w.end_object().end_object();
  w.member("implementationDigest", implementation).member("workloadDigest", workload);
  w.member("protocolDigest", protocol).member("environmentDigest", environment);
  return m.done();
}

std::string sol_solution_implementation(const SolSolution& s, const SolDefinition& d,
                                        std::string_view operation_digest, std::string_view commit,
                                        std::string_view folder) {
  Manifest m("ImplementationRevision");
  json::Writer& metadata = m.metadata(kebab(s.name), s.name);
  if (!s.description.empty()) metadata.member("description", s.description);
  if (!s.author.empty()) {
    metadata.key("authors")
        .begin_array()
        .begin_object()
        .member("name", s.author)
        .end_object()
        .end_array();
  }
  metadata.key("sourceRefs").begin_array().begin_object();
  metadata.member("url", fmt::format("{}/tree/{}/{}", kRepository, commit, folder))
      .end_object()
      .end_array();
  json::Writer& w = m.spec();
  w.key("projectRevision")
      .begin_object()
      .member("repository", kRepository)
      .member("commit", commit)
      .end_object();
  w.key("operation").begin_object().member("specDigest", operation_digest).end_object();
  w.key("callable").begin_object();
  w.member("language",
           s.languages.empty() ? std::string("unknown") : sol_language(s.languages.front()));
  w.member("path", folder);
  if (!s.entry_point.empty()) w.member("symbol", s.entry_point);
  if (s.binding == "torch") w.member("interface", "pytorch");
  w.end_object();
  std::vector<std::string> architectures;
  std::vector<std::string> products;
  for (const std::string_view target : s.target_hardware) {
    if (target == "LOCAL") continue;
    const SolHardware hardware = sol_hardware(target);
    if (std::ranges::find(architectures, hardware.architecture) == architectures.end()) {
      architectures.push_back(hardware.architecture);
    }
    if (std::ranges::find(products, hardware.product) == products.end())
      products.push_back(hardware.product);
  }
  if (architectures.empty()) architectures.emplace_back("unknown");
  const auto list = [&](std::string_view name, const std::vector<std::string>& all) {
    w.key(name).begin_array();
    for (const std::string& text : all) w.value(text);
    w.end_array();
  };
  w.key("support").begin_object();
  list("hardwareArchitectures", architectures);
  list("productsTested", products);
  list("dtypes", sol_input_dtypes(d));
  w.end_object();
  w.key("buildVariants")
      .begin_array()
      .begin_object()
      .member("name", "source")
      .key("install")
      .begin_object();
  w.member("kind", "git").member("repository", kRepository).member("commit", commit);
  w.end_object().end_object().end_array();
  w.key("licensing")
      .begin_object()
      .member("declared", "Apache-2.0")
      .member("concluded", "Apache-2.0");
  w.key("evidence").begin_object().member("path", "LICENSE").end_object().end_object();
  return m.done();
}

std::string sol_trace_protocol() {
  Manifest m("BenchmarkProtocol");
  m.metadata("sol-execbench-trace", "SOL-ExecBench trace");
  json::Writer& w = m.spec();
  w.key("harness")
      .begin_object()
      .member("name", "sol-execbench")
      .member("repository", kRepository)
      .end_object();
  w.key("measurement")
      .begin_object()
      .member("timer", "harness_reported")
      .member("primaryStatistic", "mean")
      .end_object();
  w.key("correctness").begin_object().member("reference", "definition reference implementation");
  w.member("comparator", kComparator).end_object();
  w.key("comparability").begin_object().member("family", "sol_execbench_trace").end_object();
  return m.done();
}

std::string sol_trace_environment(const SolTrace& t) {
  const SolHardware hardware = sol_hardware(t.hardware);
  std::string name = fmt::format("sol-trace-{}", t.hardware);
  std::string_view cuda;
  std::string_view torch;
  std::vector<std::pair<std::string, std::string_view>> others;
  if (t.libs != nullptr) {
    for (const json::Member& lib : t.libs->members()) {
      if (!lib.value.is_string()) continue;
      name += fmt::format("-{}", lib.value.string());
      if (lib.key == "cuda") {
        cuda = lib.value.string();
      } else if (lib.key == "torch") {
        torch = lib.value.string();
      } else {
        others.emplace_back(sol_language(lib.key), lib.value.string());
      }
    }
  }
  Manifest m("ExecutionEnvironment");
  m.metadata(kebab(name));
  json::Writer& w = m.spec();
  write_hardware(w, hardware);
  w.key("software").begin_object();
  if (!cuda.empty()) w.member("cudaToolkit", cuda);
  if (!torch.empty()) {
    w.key("framework")
        .begin_object()
        .member("name", "pytorch")
        .member("version", torch)
        .end_object();
  }
  if (!others.empty()) {
    w.key("libraries").begin_object();
    for (const auto& [library, version] : others) w.member(library, version);
    w.end_object();
  }
  w.end_object();
  return m.done();
}

std::string sol_trace_run(const SolTrace& t, std::string_view key, std::string_view our_status,
                          Instant observed, std::optional<std::int64_t> latency_ns,
                          std::optional<std::string_view> log_digest,
                          std::string_view implementation, std::string_view workload,
                          std::string_view protocol, std::string_view environment) {
  Manifest m("BenchmarkRun");
  m.metadata(kebab(fmt::format("sol-trace-{}-{}", t.definition, key.substr(0, 8))));
  json::Writer& w = m.spec();
  w.member("status", our_status).member("observedAt", observed.to_string());
  if (t.has_correctness) {
    w.key("correctness").begin_object().member("comparator", kComparator);
    member_if(w, "maximumAbsoluteError", t.max_absolute_error);
    member_if(w, "maximumRelativeError", t.max_relative_error);
    w.end_object();
  }
  if (latency_ns) {
    w.key("timing").begin_object().member("primaryStatistic", "mean");
    w.key("latencyNs").begin_object().member("mean", *latency_ns).end_object().end_object();
  }
  w.key("sourceNative")
      .begin_object()
      .member("source", "sol-execbench")
      .member("benchmark", t.definition);
  if (t.latency_ms) {
    w.key("metrics").begin_object();
    member_if(w, "latency_ms", t.latency_ms);
    member_if(w, "reference_latency_ms", t.reference_latency_ms);
    member_if(w, "speedup_factor", t.speedup_factor);
    w.end_object();
  }
  w.end_object();
  if (log_digest) {
    w.key("evidence").begin_object().key("logs").begin_object();
    w.member("uri", fmt::format("kernelindex:artifact/{}", *log_digest))
        .member("digest", *log_digest);
    w.end_object().end_object();
  }
  w.member("implementationDigest", implementation).member("workloadDigest", workload);
  w.member("protocolDigest", protocol).member("environmentDigest", environment);
  return m.done();
}

}  // namespace ki::importers
